"""Choose: which columns of a data set features are made from, and how. Pure: it reads nothing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from hdfs_io.comma import advice
from hdfs_io.errors import DataError
from hdfs_io.formats.magnitude import scale_for
from hdfs_io.found import Found
from hdfs_io.kinds import is_number, is_vector
from hdfs_io.labels import NONE, is_text
from hdfs_io.merge import MOST_WORDS
from hdfs_io.schema import Input
from hdfs_io.spoken import many
from hdfs_io.survey import Fault, Survey
from hdfs_io.target import plausible

SENTENCE = 2  # blanks from which on, in the mean, values are sentences rather than names
MOST_DENSE = 20_000  # features of rows that are kept dense though some of their vectors are stored sparse


def choose(found: Found) -> tuple[list[Input], list[str]]:
    """The inputs in the columns' order, or as the user named them, and remarks about columns that are left out."""
    types, everywhere = found.whole.types, _everywhere(found)
    wanted = found.options.roles.features
    for name in (*taken(found), *map(str, wanted or ())):
        _refuse_partial(found, name, everywhere)
    if wanted is not None:
        return [_input(found, str(name)) for name in wanted], []
    apart = {*taken(found), *found.options.index}
    free = [name for name in types if name not in apart]
    notes = [
        f"column {name!r} is not in every file ({_without(found, name)} lacks it): left out"
        for name in free
        if name not in everywhere
    ]
    inputs = []
    for name in (name for name in free if name in everywhere):
        if name in found.whole.spelled:
            found.refuse(no_feature(found, name))
        if (wrong := broken(found, name)) is not None:
            found.refuse(wrong)
            continue
        why = unfit(found, name)
        if why is None:
            inputs.append(_input(found, name))
        else:
            notes.append(f"column {name!r} holds {why}: left out")
    return inputs, notes + list(_told(inputs))


def unfit(found: Found, name: str) -> str | None:
    """Why a column isn't taken for features unless the user names it; None if it is."""
    kind = found.whole.types[name]
    if is_number(kind):
        return None
    if is_vector(kind):
        return None
    if not is_text(kind) or found.options.words == "drop" or name in found.whole.spelled:
        return f"{kind_of(kind)}, no numbers"
    if len(kinds := _kinds(found, name)) > 1:
        return f"{kinds[0]} in some parts and {kinds[1]} in others"
    words = found.whole.words.get(name)
    if words is None:
        return f"more than {MOST_WORDS:,} different words, or very long ones"
    rows = found.whole.rows
    if not plausible(len(words), rows) or 2 * len(words) > rows:
        how_many = f"{len(words):,} different ones in {many(rows, 'row')}"
        if (pc.mean(pc.count_substring(words, " ")).as_py() or 0) >= SENTENCE:
            return f"text, {how_many}"
        return f"words, {how_many} and so hardly kinds (--features takes them)"
    return None


def _input(found: Found, name: str) -> Input:
    kind = found.whole.types[name]
    if is_vector(kind):
        if (wrong := broken(found, name)) is not None:
            raise wrong
        width = found.whole.vectors[name].width if name in found.whole.vectors else 0
        return Input(name, width=width, is_vector=True)
    if is_number(kind) or pa.types.is_null(kind):
        return Input(name, scale=scale_of(found.whole, name))
    words = found.whole.words.get(name)
    if not is_text(kind) or name in found.whole.spelled or words is None or len(_kinds(found, name)) > 1:
        raise no_feature(found, name)
    known = sorted(word for word in words.to_pylist() if word != NONE or found.options.missing != "zero")
    return Input(name, tuple(known), len(known))


def broken(found: Found, name: str) -> DataError | None:
    """The refusal of a column of vectors that can't be features; None if they can, or it is of something else."""
    fault = found.whole.vectors[name].fault if name in found.whole.vectors else None
    if fault is None:
        return None
    return DataError(fault if f"column {name!r}" in fault else f"{found.url}: column {name!r} holds {fault}")


def _told(inputs: Sequence[Input]) -> Iterator[str]:
    for each in inputs:
        if each.words is not None:
            gaps = ", a missing one too" if NONE in each.words else ""
            yield f"column {each.column!r}: a 0/1 feature for each of its {many(len(each.words), 'word')}{gaps}"


def scale_of(whole: Survey, name: str) -> float:
    """1, but for a column that float32 doesn't hold. Where such numbers are a half at most, they are faults."""
    large = whole.large.get(name)
    if large is not None and 2 * large.count <= whole.rows:
        return 1.0
    return scale_for(*whole.ranges.get(name, (0.0, 0.0)))


def scaled(found: Found, inputs: Sequence[Input]) -> list[str]:
    """Remarks about columns of numbers that float32 doesn't hold."""
    ends = {each: found.whole.ranges[each.column] for each in inputs if each.scale != 1}
    return [
        f"column {each.column!r} lies between {low:.3g} and {high:.3g}, which float32 doesn't hold: "
        f"read in units of 2^{-math.frexp(each.scale)[1] + 1} ({1 / each.scale:.3g})"
        for each, (low, high) in ends.items()
    ]


def are_sparse(found: Found, inputs: Sequence[Input]) -> bool:
    """Whether rows are kept sparse: those of one column of vectors, some of which are stored so."""
    stored = [each for each in inputs if each.is_vector and found.whole.vectors[each.column].sparse]
    if not stored or len(inputs) == 1:
        return bool(stored)
    width = sum(each.width for each in inputs)
    if width > MOST_DENSE:
        name = stored[0].column
        raise DataError(
            f"{found.url}: column {name!r} holds sparse vectors, which with the other columns make {width:,} features, "
            f"too many for dense rows; learn from it alone: --features {name}"
        )
    return False


def means(found: Found, inputs: Sequence[Input]) -> tuple[float, ...]:
    """The mean of each feature over the rows that have it; 0 where none has."""
    out: list[float] = []
    for each in inputs:
        if each.is_vector or each.scale != 1:
            what = "vectors" if each.is_vector else "numbers that float32 doesn't hold"
            raise no_mean(f"{found.url}: column {each.column!r} holds {what}")
        total, count = found.whole.sums.get(each.column, (0.0, 0))
        out += [total / count if count else 0.0] * each.width
    return tuple(out)


def no_mean(what: str) -> DataError:
    """The refusal of features whose mean isn't taken."""
    return DataError(f"{what}, whose means aren't taken; say --missing nan|zero")


def no_feature(found: Found, name: str) -> DataError:
    """The refusal of a column that can't be a feature."""
    fault, kind = found.whole.spelled.get(name), found.whole.types[name]
    if fault is not None:
        what = f"{fault.place}: {_no_numbers(fault.count)}"
        again = "the header is there again (--bad-rows skip leaves it out); " if is_header(name, fault) else ""
        how = again or advice(fault.place, found.options.sep)
        return DataError(f"{what}; {how}correct them, or choose other features")
    if is_text(kind) and len(kinds := _kinds(found, name)) > 1:
        what = f"{kinds[0]} in some parts of the data and {kinds[1]} in others; give it one type"
        return DataError(f"{found.url}: column {name!r} holds {what}, or choose other features")
    part = "the rating" if name == found.options.roles.rating else "a feature"
    return DataError(f"{found.url}: column {name!r} holds {kind_of(kind)}: it can't be {part}")


def _no_numbers(count: int) -> str:
    if count == 1:
        return "1 value of this column is no number"
    return f"{count:,} values of this column are no numbers, the first here"


def is_header(name: str, fault: Fault) -> bool:
    """Whether what isn't a number in a column is its name: files with headers were put together."""
    return fault.place.endswith(f"holds {name!r}")


def taken(found: Found) -> list[str]:
    """The columns with another role than feature."""
    return [str(column) for column in found.options.roles.said().values()]


def kind_of(kind: pa.DataType) -> str:
    """A type in a user's words."""
    return "words" if is_text(kind) else "nothing" if pa.types.is_null(kind) else str(kind)


def _kinds(found: Found, name: str) -> list[str]:
    """What parts hold in a column, words first."""
    kinds = {survey.types[name] for survey in found.surveys if name in survey.types} - {pa.null()}
    told = {"numbers" if is_number(kind) else kind_of(kind) for kind in kinds}
    return sorted(told, key=lambda kind: (kind != kind_of(pa.string()), kind))


def mostly_numbers(surveys: Sequence[Survey], *, guesses: bool) -> set[str]:
    """The columns that are words in some pieces and numbers in pieces of at least as many rows.

    `guesses`: types are guessed from text, so that True is a word among numbers.
    """
    rows: Counter[str] = Counter()
    words = set()
    for survey in surveys:
        for name, kind in survey.columns:
            is_word = is_text(kind) or (guesses and pa.types.is_boolean(kind))
            if is_number(kind) and not is_word:
                rows[name] += survey.rows
            elif is_word:
                rows[name] -= survey.rows
                words.add(name)
    return {name for name in words if rows[name] > 0}


def _everywhere(found: Found) -> set[str]:
    sets = [set(survey.types) for survey in found.surveys if survey.columns]
    return set.intersection(*sets) if sets else set()


def _without(found: Found, name: str) -> str:
    pairs = zip(found.pieces, found.surveys, strict=True)
    return next(piece.file for piece, survey in pairs if survey.columns and name not in survey.types)


def _refuse_partial(found: Found, name: str, everywhere: set[str]) -> None:
    if name not in everywhere:
        raise DataError(f"{_without(found, name)}: has no column {name!r}, which other files of the data set have")
