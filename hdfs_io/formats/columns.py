"""Columns: what the formats with named columns share: looking at them, and leaving out rows that can't be used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hdfs_io.comma import has_comma
from hdfs_io.errors import DataError
from hdfs_io.formats.magnitude import magnitude
from hdfs_io.formats.repair import as_numbers
from hdfs_io.formats.roles import Mask, bad_labels, bad_weights, is_float, look_at_roles, no_key, shown
from hdfs_io.formats.vectors import survey_vectors
from hdfs_io.kinds import is_number, is_vector
from hdfs_io.labels import NONE, is_missing, is_text, numbers, word_codes, words
from hdfs_io.merge import MOST_WORDS
from hdfs_io.spoken import listed, many, some_are
from hdfs_io.survey import Ask, Fault, Place, Reject, Survey

PROBE = 1000  # values of a column of words that tell whether it was meant to be numbers
SHOWN = 5  # columns that an error names
TEXT = 200  # characters of a row that a reject keeps of each column


@dataclass(frozen=True, eq=False)
class Wrong:
    """Values of one column that can't be used."""

    kind: str  # "missing", "large", "spelled", "stranger", "label", "weight" or "id"
    column: str
    mask: Mask
    what: str  # of the first of them

    def fault(self, place: Place) -> Fault:
        return Fault(int(self.mask.sum()), place(int(np.argmax(self.mask)), self.what))


def look_at(table: pa.Table, ask: Ask, place: Place) -> Survey:
    """Survey all rows of a table; asked to `skip`, those that can be used, and say which the others are."""
    rows, rejects = np.arange(len(table)), list[tuple[int, Reject]]()

    def of(row: int, what: str) -> str:
        return place(int(rows[row]), what)

    while ask.skip:  # without words a column may be one of numbers, some of which can't be used
        wrong = [each for each in _wrong(table, ask) if not _allowed(each, ask)]
        if not wrong:
            break
        rejects += ((int(rows[row]), reject) for row, reject in _rejects(table, wrong, of))
        bad = np.logical_or.reduce([each.mask for each in wrong])
        table, rows = without(table, np.flatnonzero(bad), ask.text), rows[~bad]
    rejects.sort(key=lambda one: one[0])
    bad_rows = tuple(row for row, _ in rejects)
    return replace(_survey(table, ask, of), bad=bad_rows, rejects=tuple(reject for _, reject in rejects))


def without(table: pa.Table, bad: NDArray[np.int64], text: Container[str] = ()) -> pa.Table:
    """The table without these rows; columns of words that were numbers but for them are numbers then.

    `text`: columns that are text over all.
    """
    if not len(bad):
        return table
    keep = np.ones(len(table), np.bool_)
    keep[bad] = False
    return as_numbers(table.filter(pa.array(keep)), text)


def _survey(table: pa.Table, ask: Ask, place: Place) -> Survey:
    faults: dict[str, dict[str, Fault]] = defaultdict(dict)
    for each in _wrong(table, ask):
        faults[each.kind][each.column] = each.fault(place)
    features = _features(table, ask)
    vectors = {
        name: survey_vectors(table.column(name), name, place) for name in features if is_vector(table.column(name).type)
    }
    return replace(
        look_at_roles(table, ask, place),
        columns=tuple((field.name, field.type) for field in table.schema),
        missing=faults["missing"],
        large=faults["large"],
        ranges={name: ends for name in features if (ends := _range(table.column(name))) is not None},
        spelled=faults["spelled"],
        strangers=faults["stranger"],
        words={name: found for name in features if (found := _dictionary(table.column(name))) is not None}
        if ask.dictionary == "collect"
        else {},
        vectors=vectors,
        values=sum(each.values for each in vectors.values()),
        sums={name: _sum(table.column(name)) for name in features if ask.means and is_number(table.column(name).type)},
    )


def _features(table: pa.Table, ask: Ask) -> list[str]:
    wanted = set(table.column_names).difference(ask.roles) if ask.features is None else set(ask.features)
    return [name for name in table.column_names if name in wanted]


def _wrong(table: pa.Table, ask: Ask) -> Iterator[Wrong]:
    """What can't be used, column by column."""
    for name in _features(table, ask):
        yield from _wrong_feature(table.column(name), name, ask)
    if not ask.skip:  # labels and weights have faults of their own in a survey
        return
    if ask.label in table.column_names:
        label = table.column(ask.label)
        yield from _if_any("label", str(ask.label), bad_labels(label, ask), label)
    if ask.weight in table.column_names:
        weight = table.column(ask.weight)
        yield from _if_any("weight", str(ask.weight), bad_weights(weight), weight)
    for name in ask.keys:
        if name in table.column_names:
            yield from _if_any("id", name, no_key(table.column(name)), table.column(name))


def _if_any(kind: str, name: str, bad: Mask, column: pa.ChunkedArray) -> Iterator[Wrong]:
    if bad.any():
        yield Wrong(kind, name, bad, shown(kind, column, int(np.argmax(bad))))


def _wrong_feature(column: pa.ChunkedArray, name: str, ask: Ask) -> Iterator[Wrong]:
    """Words and empty columns are judged when all pieces were seen, but for words that the model doesn't know."""
    masks: dict[str, Mask | None]
    if name in ask.known:
        masks = {"stranger": _strangers(column, ask.known[name], ask)}
    elif name in ask.numbers and (pa.types.is_null(column.type) or pa.types.is_boolean(column.type)):
        there = np.asarray(column.is_valid())
        masks = {"missing": ~there, "spelled": there}
    elif is_number(column.type):
        found = magnitude(column, (ask.scales or {}).get(name, 1.0))
        masks = {"missing": found.missing, "large": found.large}
    else:
        masks = {"spelled": _misspelled(column, surely=name in ask.numbers)}
    for kind, bad in masks.items():
        if bad is not None and bad.any():
            what = f"column {name!r}"
            first = column[int(np.argmax(bad))].as_py()
            yield Wrong(kind, name, bad, what if kind == "missing" else f"{what} holds {str(first)[:40]!r}")


def _range(column: pa.ChunkedArray) -> tuple[float, float] | None:
    return magnitude(column).range if is_number(column.type) else None


def _strangers(column: pa.ChunkedArray, known: Sequence[str], ask: Ask) -> Mask:
    unknown: Mask = word_codes(column, known) < 0
    return unknown & ~np.asarray(pc.equal(words(column), NONE)) if ask.missing == "zero" else unknown


def _misspelled(column: pa.ChunkedArray, *, surely: bool) -> Mask | None:
    """The values that aren't numbers in a column of words that mostly, or `surely`, are."""
    if not is_text(column.type):
        return None
    missing = np.asarray(is_missing(column))
    probe = column.slice(0, PROBE).filter(pa.array(~missing[:PROBE])).to_pylist()
    if not surely and 2 * sum(is_float(value) or has_comma(value) for value in probe) <= len(probe):
        return None
    bad = ~missing & np.array([value is None or not is_float(value) for value in column.to_pylist()], np.bool_)
    return bad if bad.any() else None


def _allowed(wrong: Wrong, ask: Ask) -> bool:
    """Whether the user has said how to read such a value."""
    if wrong.kind == "large":  # in new data the whole column may be scaled, which is decided when all of it was seen
        return ask.missing != "stop" or ask.scales is None
    return (wrong.kind == "missing" and ask.missing != "stop") or (wrong.kind == "stranger" and ask.unknown == "drop")


def _rejects(table: pa.Table, wrong: list[Wrong], place: Place) -> Iterator[tuple[int, Reject]]:
    """The rows that are left out, each once with its number, by what is first found wrong with them."""
    seen = np.zeros(len(table), np.bool_)
    for each in wrong:
        for row in np.flatnonzero(each.mask & ~seen).tolist():
            values = table.slice(row, 1).to_pylist()[0]
            text = ",".join("" if value is None else str(value)[:TEXT] for value in values.values())
            what = f"column {each.column!r}: {shown(each.kind, table.column(each.column), row)}"
            yield row, Reject(f"{each.kind} in column {each.column!r}", place(row, what), text)
        seen |= each.mask


def _dictionary(column: pa.ChunkedArray) -> pa.Array | None:
    """The different words of a column that holds words, or nothing; more than can be kept are one word more."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not (is_text(column.type) or pa.types.is_null(column.type)):
        return None
    return pc.unique(words(pc.unique(column)))[: MOST_WORDS + 1]


def _sum(column: pa.ChunkedArray) -> tuple[float, int]:
    with np.errstate(over="ignore"):
        found = numbers(column).astype(np.float32, copy=False)
    fine = found[np.isfinite(found)]
    return float(fine.sum(dtype=np.float64)), len(fine)


def missing_error(faults: Mapping[str, Fault]) -> DataError:
    """The refusal of features (column -> fault, not empty) without a number."""
    (_, first), *others = faults.items()
    what = some_are(first.count, "feature value", "missing, nan or inf (beyond float32 too)")
    if others:
        names = listed([name for name, _ in others], SHOWN)
        total = sum(fault.count for _, fault in others)
        what += f", and {total:,} in {many(len(others), 'other column')} ({names})"
    return DataError(f"{first.place}: {what}; leave out such columns, or say --missing zero|mean|nan")
