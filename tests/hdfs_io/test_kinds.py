"""Columns that files hold in several types: one type holds them all, or they are refused by name; nothing is lost."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from itertools import permutations, product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hdfs_io import DataError, convert, describe
from hdfs_io.kinds import kind_named, widen

UTC = dt.UTC
NOON = dt.datetime(2026, 1, 2, 12)
TYPES = [
    pa.null(),
    pa.bool_(),
    pa.int8(),
    pa.int64(),
    pa.uint32(),
    pa.uint64(),
    pa.float32(),
    pa.float64(),
    pa.decimal128(38, 2),
    pa.decimal128(12, 4),
    pa.decimal128(38, 37),
    pa.decimal256(76, 0),
    pa.date32(),
    pa.date64(),
    pa.timestamp("s"),
    pa.timestamp("us", "UTC"),
    pa.timestamp("ns", "Europe/Rome"),
    pa.time32("s"),
    pa.time64("us"),
    pa.duration("ms"),
    pa.duration("ns"),
    pa.string(),
    pa.binary(),
    pa.binary(4),
    pa.list_(pa.float32()),
    pa.list_(pa.int64()),
]


def parts(folder: Path, *arrays: pa.Array) -> str:
    folder.mkdir()
    for k, array in enumerate(arrays):
        pq.write_table(pa.table({"t": array, "x": [float(k)] * len(array)}), folder / f"{k}.parquet")
    return str(folder)


LARGE, SMALL = Decimal("12345678901234567890.12"), Decimal("0.0001")
CASES = {
    "timestamp[ns]": ([pa.array([NOON], pa.timestamp("ns")), pa.array([NOON], pa.timestamp("us"))], None),
    "timestamp[us]": (
        [pa.array([NOON.date()]), pa.array([NOON], pa.timestamp("us"))],
        [NOON.replace(hour=0), NOON],
    ),
    "timestamp[us, tz=UTC]": (
        [pa.array([NOON], pa.timestamp("us", "Europe/Rome")), pa.array([NOON], pa.timestamp("ms", "UTC"))],
        [NOON.replace(tzinfo=dt.UTC)] * 2,
    ),
    "time64[us]": (
        [pa.array([dt.time(12)], pa.time32("ms")), pa.array([dt.time(13)], pa.time64("us"))],
        [dt.time(12), dt.time(13)],
    ),
    "decimal256(40, 4)": (
        [pa.array([LARGE], pa.decimal128(38, 2)), pa.array([SMALL], pa.decimal128(12, 4))],
        [LARGE, SMALL],
    ),
    "decimal128(20, 0)": ([pa.array([-1]), pa.array([2**64 - 1], pa.uint64())], [-1, 2**64 - 1]),
    "uint64": ([pa.array([2**64 - 1], pa.uint64()), pa.array([3], pa.uint8())], [2**64 - 1, 3]),
    "decimal128(4, 1)": ([pa.array([1], pa.int8()), pa.array([Decimal("1.5")])], [1, Decimal("1.5")]),
    "list<element: double>": ([pa.array([[0.1]]), pa.array([[0.5]], pa.list_(pa.float32()))], [[0.1], [0.5]]),
}


@pytest.mark.parametrize("kind", CASES)
def test_parts_of_several_types_become_one_that_holds_them(tmp_path: Path, kind: str) -> None:
    arrays, values = CASES[kind]
    convert(parts(tmp_path / "d", *arrays), str(tmp_path / "to.parquet"))
    found = pq.read_table(tmp_path / "to.parquet").column("t")
    assert str(found.type) == kind
    if values is None:  # Python has no nanoseconds
        found, values = found.cast(pa.timestamp("us")), [NOON, NOON]
    assert found.to_pylist() == values
    assert "different words" not in describe(str(tmp_path / "d"))


@pytest.mark.parametrize(
    "arrays",
    [
        [pa.array([2**53 + 1]), pa.array([0.5])],
        [pa.array([Decimal("12345678901234567890.12")]), pa.array([0.5])],
        [pa.array([dt.datetime(9999, 1, 1)], pa.timestamp("us")), pa.array([NOON], pa.timestamp("ns"))],
        [pa.array([b"\xff"]), pa.array(["a"])],
    ],
)
def test_what_one_type_cannot_hold_is_refused_by_name(tmp_path: Path, arrays: list[pa.Array]) -> None:
    url = parts(tmp_path / "d", *arrays)
    with pytest.raises(DataError, match=r"column 't' holds .* give the column one type"):
        convert(url, str(tmp_path / "to.parquet"))
    assert not (tmp_path / "to.parquet").exists()


def test_moments_with_and_without_a_zone_are_no_words(tmp_path: Path) -> None:
    told = describe(
        parts(tmp_path / "d", pa.array([NOON], pa.timestamp("us")), pa.array([NOON], pa.timestamp("us", "UTC")))
    )
    assert "column 't' holds timestamp[us, tz=UTC] in some parts and timestamp[us] in others: left out" in told


def test_a_type_is_found_by_its_name() -> None:
    for kind in TYPES:
        found = kind_named(str(kind))
        assert found == kind or (found is None and pa.types.is_nested(kind)) or pa.types.is_fixed_size_binary(kind)


def test_which_file_comes_first_is_of_no_matter() -> None:
    for a, b in product(TYPES, TYPES):
        assert widen(a, b) == widen(b, a)
    moments = [kind for kind in TYPES if pa.types.is_temporal(kind) or pa.types.is_integer(kind)]
    for three in product(moments, repeat=3):
        assert len({widen(widen(a, b), c) for a, b, c in permutations(three)}) == 1
