"""Settle: from what was found of all pieces to the data set, its schema decided once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hdfs_io.codes import lost
from hdfs_io.dataset import Dataset
from hdfs_io.decide import bare_rows, check_schema, column_schema, missing_in, rescaled, sparse_schema
from hdfs_io.errors import DataError
from hdfs_io.found import Found
from hdfs_io.options import SPARSE
from hdfs_io.rejects import refuse_many_rejects, write_rejects
from hdfs_io.schema import Schema
from hdfs_io.spoken import many


def settle(found: Found, schema: Schema | None = None) -> Dataset:
    """The data set with its schema decided."""
    _refuse_no_rows(found)
    label = found.label
    notes = list(found.notes)
    sparse = found.options.format in SPARSE
    has_label = label is not None and found.options.roles.label is not None and not (sparse and bare_rows(found))
    new = schema is None
    if schema is not None:
        has_label = has_label and schema.label is not None
        notes += check_schema(found, schema, has_label=has_label)
    elif sparse:
        if label is not None and not has_label:
            raise DataError(f"{found.url}: its rows have no label{_labelled_instead(found.options.format)}")
        schema, more = sparse_schema(found, label)
        notes += more
    else:
        schema, more = column_schema(found, label)
        notes += more
    notes += _counted(found, rescaled(schema.columns) if new else frozenset())
    return _laid_out(found, schema, notes, has_label=has_label)


def as_it_is(found: Found) -> Dataset:
    """The data set as rows that are copied: of its schema nothing is decided but how wide sparse ones are."""
    _refuse_no_rows(found)
    sparse = found.options.format in SPARSE
    schema = sparse_schema(found, None)[0] if sparse else Schema(sparse=False, width=0)
    return _laid_out(found, schema, list(found.notes), has_label=False)


def _refuse_no_rows(found: Found) -> None:
    refuse_many_rejects(found)
    if not found.whole.rows:
        raise DataError(f"{found.url}: holds no rows")


def _laid_out(found: Found, schema: Schema, notes: list[str], *, has_label: bool) -> Dataset:
    """The data set with its pieces' rows counted."""
    if found.options.rejects is not None:
        write_rejects(found.options.rejects, found.whole.rejects)
    left_out = tuple(Counter(reject.kind for reject in found.whole.rejects).most_common())
    kept = tuple(survey.kept for survey in found.surveys)
    pieces, first = [], 0
    for piece, survey in zip(found.pieces, found.surveys, strict=True):
        pieces.append(replace(piece, first_row=first, rows=survey.rows, values=survey.values, bad=survey.bad))
        first += survey.rows
    return Dataset(
        url=found.url,
        options=found.options,
        schema=schema,
        pieces=tuple(pieces),
        rows=first,
        types=tuple((name, str(kind)) for name, kind in found.whole.columns),
        has_label=has_label,
        written=tuple(name for name, kind in found.whole.columns if lost(found.whole.codes.get(name, ()), kind)),
        notes=(*notes, *(f"{many(count, 'row')} left out: {kind}" for kind, count in left_out)),
        left_out=left_out,
        kept=kept if any(each is not None for each in kept) else None,
    )


def _labelled_instead(kind: str | None) -> str:
    """What to do about rows of a format that never has labels."""
    if kind == "libsvm":
        return ""
    guess = "; if its first numbers are labels, say --format libsvm" if kind == "ldac" else ""
    return f", as {kind} has none: write labels and counts as libsvm, `label index:count ...`{guess}"


def _counted(found: Found, fine: frozenset[str]) -> list[str]:
    """Remarks about values that the user allowed to be left out or replaced."""
    notes = []
    missing = missing_in(found, (), fine)
    if missing and found.options.missing != "stop":
        how = {"zero": "0", "mean": "their column's mean"}.get(str(found.options.missing), "nan")
        count = sum(fault.count for fault in missing.values())
        notes.append(f"{many(count, 'feature value')} missing, nan or inf: read as {how}")
    if found.whole.beyond is not None:
        notes.append(f"{many(found.whole.beyond.count, 'value')} with an index that the model doesn't know: dropped")
    for name, fault in found.whole.strangers.items():
        notes.append(f"{many(fault.count, 'word')} of column {name!r} unknown to the model: dropped ({fault.place})")
    return notes
