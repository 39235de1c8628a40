"""Decide: one schema for all pieces of a data set, from what each of them holds. Pure: it reads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from hdfs_io.dataset import Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.columns import missing_error
from hdfs_io.kinds import is_number
from hdfs_io.labels import is_text, values
from hdfs_io.options import ReadOptions
from hdfs_io.reader import Fault, Survey, by_column
from hdfs_io.schema import Label, Schema
from hdfs_io.target import many_classes, no_classes

LabelKind = Literal["class", "number", "any"] | None
SHOWN = 10  # classes that an error names


@dataclass(frozen=True)
class Found:
    """A data set's surveys, piece by piece and merged."""

    url: str
    options: ReadOptions  # resolved
    pieces: Sequence[Piece]
    surveys: Sequence[Survey]
    whole: Survey
    guessed: bool = False  # the label is the column that it is by its place alone
    notes: tuple[str, ...] = ()
    refused: list[str] | None = None  # where what a run would refuse is only to be told

    def refuse(self, why: DataError) -> None:
        if self.refused is None:
            raise why
        self.refused.append(str(why))


def sparse_schema(found: Found, kind: LabelKind) -> tuple[Schema, list[str]]:
    """The schema of a new libsvm data set, index base and width over all pieces, and remarks about its label."""
    _refuse_faults(found)
    base = 0 if found.whole.least == 0 else 1
    label, notes = (None, []) if kind is None else _label(found, "label", kind)
    return Schema(sparse=True, width=max(0, found.whole.greatest + 1 - base), base=base, label=label), notes


def dense_schema(found: Found, kind: LabelKind) -> tuple[Schema, list[str]]:
    """The schema of a new data set with named columns, and remarks about what it leaves out."""
    roles = found.options.roles
    features, notes = _features(found)
    _refuse_faults(found, features)
    label, more = (None, []) if kind is None or roles.label is None else _label(found, str(roles.label), kind)
    weight, key = (None if column is None else str(column) for column in (roles.weight, roles.id))
    schema = Schema(sparse=False, width=len(features), features=tuple(features), label=label, weight=weight, id=key)
    return schema, notes + more + _widened(found, [*features, *map(str, roles.said().values())])


def check_schema(found: Found, schema: Schema, *, has_label: bool) -> list[str]:
    """Refuse data that a model's schema can't read; returns remarks."""
    if schema.sparse:
        _check_indices(found)
    else:
        _check_columns(found, schema)
    _refuse_faults(found, schema.features or ())
    label, strange = schema.label, found.whole.strange
    if has_label and label is not None and label.classes is None:
        _refuse_words(found, label.name)
    if strange is not None and label is not None and label.classes is not None:
        classes = ", ".join(map(str, label.classes[:SHOWN])) + ", ..." * (len(label.classes) > SHOWN)
        raise DataError(
            f"{strange.place} is not one of the model's classes, as its training data had none such ({classes}): "
            f"{strange.count:,} labels, the first here; train on data that holds all classes, or remove such rows"
        )
    types = found.whole.types
    known = {*(schema.features or types), *_taken(found)}
    extra = [name for name in types if name not in known]
    return [f"column {extra[0]!r} is not used by the model" + _more(extra)] if extra else []


def missing_in(found: Found, features: Sequence[str]) -> dict[str, Fault]:
    """The features that lack values; those that hold nothing at all in some piece are such."""
    empty = [
        {name: Fault(survey.rows, f"{piece.file}: column {name!r}")}
        for piece, survey in zip(found.pieces, found.surveys, strict=True)
        for name in features
        if pa.types.is_null(survey.types.get(name, pa.float64()))
    ]
    return by_column([found.whole.missing, *empty])


def _refuse_faults(found: Found, features: Sequence[str] = ()) -> None:
    """Labels that are no values, wrong weights, and missing features unless the user said how to read them."""
    labels, missing = found.whole.labels, missing_in(found, features)
    if labels is not None:
        many = f"{labels.count:,} labels are missing, nan or inf"
        found.refuse(DataError(f"{labels.place}: {many}, the first here; correct or remove such rows"))
    _refuse_weights(found)
    if missing and found.options.missing == "stop":
        found.refuse(missing_error(missing))


def _refuse_weights(found: Found) -> None:
    """Weights that aren't numbers from 0 up, or all 0."""
    name, bad = found.options.roles.weight, found.whole.weights
    if name is None or not found.whole.rows:
        return
    kind = found.whole.types.get(str(name), pa.null())
    if bad is not None:
        many = f"{bad.count:,} weights are missing, nan, inf, negative or no numbers"
        found.refuse(DataError(f"{bad.place}: {many}, the first here; correct or remove such rows"))
    elif not is_number(kind):
        found.refuse(DataError(f"{found.url}: weight column {name!r} holds {_kind(kind)}, where numbers are needed"))
    elif not found.whole.heaviest:
        found.refuse(DataError(f"{found.url}: weight column {name!r} is 0 in every row, so that no row would count"))


def bare_rows(found: Found) -> bool:
    """Whether a libsvm data set has no labels; an error if only some rows have one."""
    for piece, survey in zip(found.pieces, found.surveys, strict=True):
        if 0 < found.whole.bare < found.whole.rows and survey.bare:
            raise DataError(f"{piece.file}: holds rows without label, other files of the data set have labels")
    return found.whole.bare > 0


def _label(found: Found, name: str, kind: LabelKind) -> tuple[Label, list[str]]:
    what, rows = found.whole.types.get(name, pa.float64()), found.whole.rows
    if kind == "number":
        _refuse_words(found, name)
        return Label(name), []
    classes = values(found.whole.distinct or ())
    alone = found.options.format == "libsvm"
    wrong = no_classes(name, classes, rows, guessed=found.guessed, alone=alone)
    if wrong is None:
        return Label(name, classes), many_classes(name, classes, rows)
    if kind == "class":
        raise DataError(f"{found.url}: {wrong}")
    return Label(name, None if is_number(what) else classes), [f"a classifier refuses this: {wrong}"]


def _refuse_words(found: Found, label: str) -> None:
    kind = found.whole.types.get(label, pa.float64())
    if not is_number(kind):
        kinds = f"{_kind(kind)}, where a number is to be predicted"
        raise DataError(f"{found.url}: label column {label!r} holds {kinds}")


def _features(found: Found) -> tuple[list[str], list[str]]:
    """The features' columns, and remarks about columns that are left out."""
    types, everywhere = found.whole.types, _everywhere(found)
    wanted = found.options.roles.features
    taken = _taken(found)
    for name in (*taken, *map(str, wanted or ())):
        _refuse_partial(found, name, everywhere)
    if wanted is not None:
        for name in map(str, wanted):
            if not (is_number(types[name]) or pa.types.is_null(types[name])):
                raise _no_number(found, name)
        return [str(name) for name in wanted], []
    free = [name for name in types if name not in taken]
    partial = [name for name in free if name not in everywhere]
    words = [name for name in free if name in everywhere and not is_number(types[name])]
    for name in words:
        if name in found.whole.words:
            found.refuse(_no_number(found, name))
    notes = [f"column {name!r} is not in every file ({_without(found, name)} lacks it): left out" for name in partial]
    notes += [f"column {name!r} holds {_kind(types[name])}, no numbers: left out" for name in words]
    return [name for name in free if name in everywhere and is_number(types[name])], notes


def _no_number(found: Found, name: str) -> DataError:
    fault = found.whole.words.get(name)
    if fault is None:
        return DataError(f"{found.url}: column {name!r} holds {_kind(found.whole.types[name])}: it can't be a feature")
    return DataError(
        f"{fault.place}: {fault.count:,} values of this column are no numbers, the first here; correct them, or choose "
        "other features"
    )


def _everywhere(found: Found) -> set[str]:
    sets = [set(survey.types) for survey in found.surveys]
    return set.intersection(*sets) if sets else set()


def _without(found: Found, name: str) -> str:
    pairs = zip(found.pieces, found.surveys, strict=True)
    return next(piece.file for piece, survey in pairs if name not in survey.types)


def _refuse_partial(found: Found, name: str, everywhere: set[str]) -> None:
    if name not in everywhere:
        raise DataError(f"{_without(found, name)}: has no column {name!r}, which other files of the data set have")


def _check_indices(found: Found) -> None:
    beyond = found.whole.beyond
    if beyond is not None and found.options.unknown == "stop":
        raise DataError(
            f"{beyond.place}: {beyond.count:,} indices are unknown to the model, the first here; use the data that the "
            "model was made for, or drop them: --unknown drop"
        )


def _check_columns(found: Found, schema: Schema) -> None:
    for piece, survey in zip(found.pieces, found.surveys, strict=True):
        for name in schema.features or ():
            if name not in survey.types:
                raise DataError(f"{piece.file}: has no column {name!r}, which is a feature of the model")
            if not (is_number(survey.types[name]) or pa.types.is_null(survey.types[name])):
                raise _no_number(found, name)


def _widened(found: Found, used: Sequence[str]) -> list[str]:
    """Remarks about columns that files hold in several types."""
    notes = []
    for name in used:
        kinds = {str(survey.types[name]): None for survey in found.surveys if name in survey.types}
        if len(kinds) > 1:
            notes.append(
                f"column {name!r} is {' and '.join(kinds)} in different parts: read as {found.whole.types[name]}"
            )
    return notes


def _taken(found: Found) -> list[str]:
    return [str(column) for column in found.options.roles.said().values()]


def _kind(kind: pa.DataType) -> str:
    return "words" if is_text(kind) else "nothing" if pa.types.is_null(kind) else str(kind)


def _more(names: Sequence[str]) -> str:
    return f", nor are {len(names) - 1} others" if len(names) > 1 else ""
