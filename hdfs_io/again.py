"""Again: pieces looked at once more, where all pieces together show that a column is something else than they thought.

A piece sees words in a column that is of numbers but for them, or numbers in one that holds words elsewhere. So what
is found doesn't depend on where pieces end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from hdfs_io.choose import mostly_numbers, scale_of
from hdfs_io.codes import united
from hdfs_io.errand import Errand, Looked
from hdfs_io.kinds import is_number
from hdfs_io.labels import is_text
from hdfs_io.merge import merged, types_over
from hdfs_io.survey import Ask, Survey
from hdfs_io.written import as_text, coded, torn


def again(
    errand: Errand, looked: Sequence[Looked], look: Callable[[Errand], Sequence[Looked]], *, guesses: bool
) -> tuple[list[Looked], list[str]]:
    """What was found, looked for again where that is needed, and remarks.

    `guesses`: types are guessed from text, so that what is text anywhere can be read as such everywhere.
    """
    ask, surveys = errand.ask, [survey for _, survey in looked]
    types, found = types_over(surveys), united([survey.codes for survey in surveys])
    numbers = _numbers(surveys, types, ask, guesses=guesses)
    codes = dict(coded(found, types, errand.options, classes=ask.distinct) if guesses else ())
    text = (torn(survey.columns for survey in surveys) | codes.keys()) - numbers if guesses else frozenset()
    judged = frozenset(name for name in text if _is_judged(name, ask))
    better = replace(ask, numbers=numbers, text=ask.text | judged, scales=_scales(surveys, ask))
    wrong = [
        k for k, survey in enumerate(surveys) if better.scales is not ask.scales or _is_wrong(survey, numbers, judged)
    ]
    whole = dict(enumerate(looked))
    if wrong:
        whole |= zip(wrong, look(errand.again([looked[k][0] for k in wrong], better)), strict=True)
    notes = [f"column {name!r} holds numbers with {why}: taken as text" for name, why in codes.items()]
    return [(piece, _read_as(survey, text)) for piece, survey in whole.values()], notes


def _scales(surveys: Sequence[Survey], ask: Ask) -> Mapping[str, float] | None:
    """What columns are multiplied by, where all must be seen to know which numbers are too large, as rows with such
    are left out; else as it is asked.
    """
    if not ask.skip or ask.missing != "stop" or ask.scales is not None or not any(each.large for each in surveys):
        return ask.scales
    whole = merged(surveys)
    return {name: scale for name in whole.large if (scale := scale_of(whole, name)) != 1}


def _numbers(surveys: Sequence[Survey], types: Mapping[str, pa.DataType], ask: Ask, *, guesses: bool) -> frozenset[str]:
    """The features that are numbers, but words in some pieces, or nothing where that is left out."""
    numbers = mostly_numbers(surveys, guesses=guesses)
    if ask.skip and ask.missing == "stop":
        nothing = {name for survey in surveys for name, kind in survey.columns if pa.types.is_null(kind)}
        numbers |= {name for name in nothing if is_number(types[name]) and not pa.types.is_boolean(types[name])}
    free = numbers.difference(ask.known, ask.roles)
    return frozenset(free if ask.features is None else free.intersection(ask.features))


def _is_judged(name: str, ask: Ask) -> bool:
    """Whether a survey looks at the values of a column of text."""
    if name == ask.label:
        return True
    is_feature = name not in ask.roles if ask.features is None else name in ask.features
    return is_feature and ask.dictionary == "collect"


def _is_wrong(survey: Survey, numbers: frozenset[str], text: frozenset[str]) -> bool:
    """Whether a piece took one of the numbers for words, or one of the texts for something else."""
    types = survey.types
    if any(
        not is_number(kind) or pa.types.is_boolean(kind) for kind in (types.get(name, pa.int64()) for name in numbers)
    ):
        return True
    kinds = [types.get(name, pa.null()) for name in text]
    return not all(is_text(kind) or pa.types.is_null(kind) for kind in kinds)


def _read_as(survey: Survey, text: frozenset[str]) -> Survey:
    """The survey with columns of text as such; what was parsed otherwise isn't kept."""
    columns = as_text(survey.columns, text)
    return survey if columns == survey.columns else replace(survey, columns=columns, kept=None)
