"""Decide: one schema for all pieces of a data set, from what each of them holds. Pure: it reads nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from hdfs_io.choose import are_sparse, choose, kind_of, means, no_feature, no_mean, scaled, taken
from hdfs_io.errors import DataError
from hdfs_io.formats.columns import missing_error
from hdfs_io.found import Found
from hdfs_io.kinds import is_number, is_vector
from hdfs_io.labels import is_text, values
from hdfs_io.merge import by_column
from hdfs_io.options import SPARSE
from hdfs_io.schema import Input, Label, LabelKind, Schema, Value
from hdfs_io.spoken import at_first, listed, many, some_are
from hdfs_io.survey import Fault
from hdfs_io.target import many_classes, no_classes

BASES = {"ldac": 0, "docword": 1, "mm": 1}  # the first index, where a format says so
SHOWN = 10  # classes that an error names
NAMED = 3  # columns that a remark names
LARGEST = float(np.finfo(np.float32).max)
HOW = {
    "number": "say which column holds them: --label, or use an app that tells classes apart",
    "rating": "rows of ratings hold a user, an item and a rating: say which columns: --user --item --rating",
}


def sparse_schema(found: Found, kind: LabelKind) -> tuple[Schema, list[str]]:
    """The schema of a new libsvm data set, index base and width over all pieces, and remarks about its label."""
    _refuse_faults(found)
    if found.options.missing == "mean":
        raise no_mean(f"{found.url}: {found.options.format} holds sparse rows")
    base = BASES.get(str(found.options.format), 0 if found.whole.least == 0 else 1)
    label, notes = (None, []) if kind is None else _label(found, "label", kind)
    width = max(0, found.whole.greatest + 1 - base)
    return Schema(sparse=True, width=width, base=base, label=label, missing=found.options.missing or "stop"), notes


def column_schema(found: Found, kind: LabelKind) -> tuple[Schema, list[str]]:
    """The schema of a new data set with named columns, and remarks about what it leaves out."""
    roles = found.options.roles
    inputs, notes = choose(found)
    named = [each.column for each in inputs]
    _refuse_faults(found, named, rescaled(inputs))
    rating = roles.rating
    if rating is not None and not is_number(found.whole.types[str(rating)]):
        found.refuse(no_feature(found, str(rating)))
    label, more = (None, []) if kind is None or roles.label is None else _label(found, str(roles.label), kind)
    weight, key = (None if column is None else str(column) for column in (roles.weight, roles.id))
    sparse = are_sparse(found, inputs)
    schema = Schema(
        sparse=sparse,
        width=sum(each.width for each in inputs),
        features=None if sparse else tuple(name for each in inputs for name in each.names()),
        label=label,
        weight=weight,
        id=key,
        inputs=None if inputs == [Input(name) for name in named] else tuple(inputs),
        missing=found.options.missing or "stop",
        means=means(found, inputs) if found.options.missing == "mean" else None,
        user=None if roles.user is None else str(roles.user),
        item=None if roles.item is None else str(roles.item),
    )
    return schema, notes + scaled(found, inputs) + more + _widened(found, [*named, *map(str, roles.said().values())])


def check_schema(found: Found, schema: Schema, *, has_label: bool) -> list[str]:
    """Refuse data that a model's schema can't read; returns remarks."""
    named = [each.column for each in schema.columns]
    if found.options.format in SPARSE:
        _check_indices(found)
    else:
        _check_columns(found, schema)
    _refuse_faults(found, named)
    label, strange = schema.label, found.whole.strange
    if has_label and label is not None and label.classes is None:
        _refuse_words(found, label.name, HOW["number"])
    if strange is not None and label is not None and label.classes is not None:
        classes = listed(label.classes, SHOWN, str)
        raise DataError(
            f"{strange.place} is not one of the model's classes, as its training data had none such ({classes}): "
            f"{many(strange.count, 'label')}{at_first(strange.count)}; train on data that holds all classes, or remove "
            "such rows"
        )
    types = found.whole.types
    known = {*(named or types), *taken(found), *found.options.index}
    extra = [name for name in types if name not in known]
    return [_unused(extra)] if extra else []


def rescaled(inputs: Sequence[Input]) -> frozenset[str]:
    """The columns whose numbers are multiplied so that float32 holds them."""
    return frozenset(each.column for each in inputs if each.scale != 1)


def missing_in(found: Found, features: Sequence[str], fine: frozenset[str] = frozenset()) -> dict[str, Fault]:
    """The features that lack values; those that hold nothing at all in some piece are such.

    What float32 doesn't hold counts as missing, but for the `fine` columns.
    """
    large = {name: fault for name, fault in found.whole.large.items() if name not in fine}
    empty = [
        {name: Fault(survey.rows, f"{piece.file}: column {name!r}")}
        for piece, survey in zip(found.pieces, found.surveys, strict=True)
        for name in features
        if pa.types.is_null(survey.types.get(name, pa.float64())) and is_number(found.whole.types.get(name, pa.null()))
    ]
    return by_column([found.whole.missing, large, *empty])


def _refuse_faults(found: Found, features: Sequence[str] = (), fine: frozenset[str] = frozenset()) -> None:
    """Labels that are no values, wrong weights, and missing features unless the user said how to read them."""
    labels, missing = found.whole.labels, missing_in(found, features, fine)
    if labels is not None:
        what = some_are(labels.count, "label", "missing, nan or inf")
        found.refuse(DataError(f"{labels.place}: {what}; correct or remove such rows"))
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
        what = some_are(bad.count, "weight", "missing, nan, inf, negative or no number")
        found.refuse(DataError(f"{bad.place}: {what}; correct or remove such rows"))
    elif not is_number(kind):
        found.refuse(DataError(f"{found.url}: weight column {name!r} holds {kind_of(kind)}, where numbers are needed"))
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
    if kind in ("number", "rating"):
        _refuse_words(found, name, HOW[kind])
        return Label(name), []
    counts = values(found.whole.distinct or ())
    classes = tuple(counts)
    alone = found.options.format == "libsvm"
    wrong = no_classes(name, classes, rows, guessed=found.guessed, alone=alone)
    if wrong is None:
        return Label(name, classes, tuple(counts.values())), many_classes(name, classes, rows)
    if kind == "class":
        raise DataError(f"{found.url}: {wrong}")
    notes = [f"a classifier refuses this: {wrong}"]
    if not is_number(what):
        return Label(name, classes, tuple(counts.values())), notes
    _refuse_large(found, name, classes)
    return Label(name), notes


def _refuse_large(found: Found, label: str, numbers: Sequence[Value]) -> None:
    """Numbers to predict that float32 doesn't hold."""
    large = [x for x in (*numbers[:1], *numbers[-1:]) if abs(float(x)) > LARGEST]
    if large:
        found.refuse(
            DataError(
                f"{found.url}: label {label!r} holds {float(large[0]):g}, and float32, which numbers to predict are "
                "kept in, ends at 3.4e38; write it in another unit"
            )
        )


def _refuse_words(found: Found, label: str, how: str) -> None:
    kind = found.whole.types.get(label, pa.float64())
    if not is_number(kind):
        kinds = f"{kind_of(kind)}, where numbers, such as 1.5, are to be predicted"
        raise DataError(f"{found.url}: label column {label!r} holds {kinds}; {how}")


def _check_indices(found: Found) -> None:
    beyond = found.whole.beyond
    if beyond is not None and found.options.unknown == "stop":
        raise DataError(
            f"{beyond.place}: {some_are(beyond.count, 'index', 'unknown to the model')}; use the data that the model "
            "was made for, or drop them: --unknown drop"
        )


def _check_columns(found: Found, schema: Schema) -> None:
    for piece, survey in zip(found.pieces, found.surveys, strict=True):
        for each in schema.columns if survey.columns else ():
            name, kind = each.column, survey.types.get(each.column)
            if kind is None:
                raise DataError(f"{piece.file}: has no column {name!r}, which is a feature of the model")
            if each.words is not None:
                if not (is_text(kind) or is_number(kind) or pa.types.is_null(kind)):
                    raise DataError(f"{piece.file}: column {name!r} holds {kind}, where the model's data had words")
            elif each.is_vector != is_vector(kind) or not (each.is_vector or is_number(kind) or pa.types.is_null(kind)):
                raise no_feature(found, name)
    if found.whole.strangers and found.options.unknown == "stop":
        fault = next(iter(found.whole.strangers.values()))
        raise DataError(
            f"{fault.place}, which the model's data didn't: {many(fault.count, 'such word')}{at_first(fault.count)}; "
            "use the data that the model was made for, or drop them: --unknown drop"
        )


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


def _unused(names: Sequence[str]) -> str:
    """A remark about one column or more that no feature is made from."""
    more = len(names) - NAMED
    *first, last = [*map(repr, names[:NAMED]), *([many(more, "other")] if more > 0 else [])]
    if not first:
        return f"column {last} is not used by the model"
    return f"columns {', '.join(first)} and {last} are not used by the model"
