"""Every compiled loop equals its plain reference."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdfs_io.csr import CSR
from hdfs_io.kernels.libsvm import FINE, parse
from hdfs_io.kernels.mix import between
from hdfs_io.kernels.pack import pack
from hdfs_io.kernels.records import PLAIN, QUOTE, begins, holds, squeeze, walk
from hdfs_io.kernels.tiles import FLOAT32, FLOAT64, INT64, lay

ALL = 1 << 62


def padded(text: bytes) -> np.ndarray[Any, Any]:
    return np.frombuffer(text + b"\n" * 64, np.uint8).copy()


def splitmix(seed: int, row: int) -> float:
    """u(seed, row), in Python's integers."""
    mask = 2**64 - 1
    z = (seed * 0xD1342543DE82EF95 + (row + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return float((z ^ (z >> 31)) >> 11) / 2**53


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**50), st.integers(0, 50))
@settings(deadline=None, max_examples=50)
def test_between_is_splitmix64(seed: int, first: int, n: int) -> None:
    out = np.empty(n, np.bool_)
    between(np.uint64(seed), first, 0.25, 0.75, out)
    assert out.tolist() == [0.25 <= splitmix(seed, first + i) < 0.75 for i in range(n)]


TYPES = {FLOAT32: np.float32, FLOAT64: np.float64, INT64: np.int64}


@given(
    st.lists(st.sampled_from(sorted(TYPES)), max_size=5) | st.sampled_from(sorted(TYPES)).map(lambda kind: [kind] * 21),
    st.integers(0, 200),
    st.floats(0.1, 1),
    st.booleans(),
    st.integers(0, 2**32),
)
@settings(deadline=None, max_examples=60)
def test_lay_is_a_transpose_of_chosen_rows(kinds: list[int], m: int, part: float, odd: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = [(rng.standard_normal(m) * 10.0 ** rng.integers(0, 18)).astype(TYPES[kind]) for kind in kinds]
    rows = np.flatnonzero(rng.random(m) < part)
    some = [x for x in columns if x.dtype != np.int64]
    if odd and some and len(rows):
        some[-1][rng.choice(rows)] = rng.choice(np.array([np.nan, np.inf, -np.inf]))
    out = np.empty((len(rows), len(kinds)), np.float32)
    places = np.array([x.ctypes.data for x in columns], np.int64)
    finite = lay(places, np.array(kinds, np.uint8), rows, out)
    wanted = np.array([x[rows].astype(np.float32) for x in columns], np.float32).reshape(len(kinds), len(rows)).T
    assert np.array_equal(out, wanted, equal_nan=True)
    assert finite == np.isfinite(wanted).all()


def test_what_float32_does_not_hold_is_not_finite() -> None:
    column = np.full(8, 1e39)
    out = np.empty((8, 8), np.float32)
    assert not lay(np.full(8, column.ctypes.data), np.full(8, FLOAT64, np.uint8), np.arange(8), out)
    assert np.isinf(out).all()


def test_gather_is_scipy_row_indexing() -> None:
    rng = np.random.default_rng(1)
    dense = (rng.random((50, 9)) < 0.3) * rng.normal(size=(50, 9)).astype(np.float32)
    row, column = np.nonzero(dense)
    indptr = np.searchsorted(row, np.arange(51)).astype(np.int64)
    matrix = CSR(indptr, column.astype(np.int32), dense[row, column].astype(np.float32), 9)
    rows = rng.integers(0, 50, 80)
    assert np.array_equal(matrix.take(rows).to_scipy().toarray(), dense[rows].astype(np.float32))
    assert np.array_equal(matrix.slice(7, 31).to_scipy().toarray(), dense[7:31].astype(np.float32))
    assert matrix.slice(3, 5).columns().tolist() == np.flatnonzero(dense[3:5].any(axis=0)).tolist()


def test_pack_joins_spans() -> None:
    text = padded(b"0123456789")
    spans = np.array([[2, 4], [5, 5], [0, 3]])
    out = np.empty(5, np.uint8)
    pack(text, spans, np.array([0, 2, 2]), out)
    assert out.tobytes() == b"23012"


FIELD = st.text(alphabet='ab",\n', max_size=5)


@given(st.lists(st.lists(FIELD, min_size=2, max_size=2), max_size=20), st.sampled_from(["\n", "\r\n"]))
@settings(deadline=None, max_examples=200)
def test_walk_ends_records_where_the_csv_module_does(rows: list[list[str]], end: str) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end).writerows(rows)
    data = text.getvalue().encode()
    records, border = walk(padded(data), 0, len(data), ord(","), ALL, QUOTE, PLAIN)
    assert (records, border) == (len(rows), len(data))
    for k in range(len(rows)):
        _, border = walk(padded(data), 0, len(data), ord(","), k, QUOTE, PLAIN)
        rest = list(csv.reader(io.StringIO(data[border:].decode(), newline="")))
        assert rest == rows[k:]


def test_walk_takes_a_quote_inside_a_field_for_itself() -> None:
    data = b'5" pipe,""\n6"",x\n\n\r\nlast,'
    assert walk(padded(data), 0, len(data), ord(","), ALL, QUOTE, PLAIN) == (2, data.rindex(b"last"))


@given(st.lists(st.sampled_from(["a", '"', '""', '"a\r"', "\r", "\n", "\r\n"]), max_size=20).map("".join))
@settings(deadline=None, max_examples=300)
def test_records_are_the_rows_that_arrow_sees(text: str) -> None:
    data = text.encode()
    options = pacsv.ReadOptions(column_names=["a"], use_threads=False, block_size=1000)
    parse = pacsv.ParseOptions(newlines_in_values=True)
    rows = len(pacsv.read_csv(pa.BufferReader(data), options, parse)) if data.strip(b"\r\n") else 0
    out = np.empty((len(data) + 1, 3), np.int64)
    n = begins(padded(data), 0, len(data), ord(","), QUOTE, out)
    assert n == rows
    assert walk(padded(data), 0, len(data), ord(","), ALL, QUOTE, PLAIN)[0] in (n, n - 1)


@given(st.text(alphabet="ab \t\r\n", max_size=60))
@settings(deadline=None, max_examples=200)
def test_squeeze_splits_and_joins_every_line(text: str) -> None:
    data = text.encode()
    buffer = padded(data)
    end = squeeze(buffer, 0, len(data))
    want = "\n".join(" ".join(line.split()) for line in re.split(r"\n|\r(?=[^\n])", text))
    assert buffer[:end].tobytes().decode().rstrip(" ") == want.rstrip(" ")


NUMBER = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=64).map(repr),
    st.floats(-10, 10).map(lambda x: f"{x:.5f}"),
    st.floats(-10, 10).map(lambda x: f"{x:.7f}"),
    st.integers(-(10**25), 10**25).map(str),
    st.floats(0, 1e10).map(lambda x: f"{x:g}"),
    st.integers(0, 10**12).map(lambda k: f"+.{k}"),
    st.sampled_from(["1e5", "1E-7", "-0", "00012", "7.", "1e22", "1e23", "123456789012345678", "5e-324", "1e+3"]),
)


@given(st.lists(st.tuples(NUMBER, st.lists(NUMBER, max_size=6)), min_size=1, max_size=20))
@settings(deadline=None, max_examples=150)
def test_parse_reads_what_float_reads(rows: list[tuple[str, list[str]]]) -> None:
    lines = [f"{y} " + " ".join(f"{i * 12345}:{v}" for i, v in enumerate(vs)) for y, vs in rows]
    text = "\n".join(lines).encode()
    n, size = len(rows), sum(len(vs) for _, vs in rows)
    y, indptr = np.empty(n + 2), np.empty(n + 3, np.int64)
    indices, values, slow = (
        np.empty(size + 2, np.int32),
        np.empty(size + 2, np.float32),
        np.empty((n + size, 3), np.int64),
    )
    found = parse(padded(text), 0, len(text), True, y, indptr, indices, values, slow, np.empty(n + 2, np.int64))
    assert (found[0], found[1], found[3], found[5]) == (n, size, 0, FINE)
    with np.errstate(over="ignore"):
        for place, lo, hi in slow[: int(found[2])]:
            number = float(text[lo:hi])
            if place < 0:
                y[-1 - place] = number
            else:
                values[place] = np.float32(number)
        want = np.array([float(v) for _, vs in rows for v in vs]).astype(np.float32)
    assert y[:n].tolist() == [float(label) for label, _ in rows]
    assert values[:size].tolist() == want.tolist()
    assert indices[:size].tolist() == [i * 12345 for _, vs in rows for i in range(len(vs))]
    assert np.diff(indptr[: n + 1]).tolist() == [len(vs) for _, vs in rows]


@pytest.mark.parametrize("text", ["1 2:3", "1 2:3.25\n", "+1 7:0.5 # a\n"])
def test_parse_is_exact_without_the_slow_path(text: str) -> None:
    data = text.encode()
    slow = np.empty((9, 3), np.int64)
    out = np.empty(9), np.empty(9, np.int64), np.empty(9, np.int32), np.empty(9, np.float32)
    assert parse(padded(data), 0, len(data), True, *out, slow, np.empty(9, np.int64))[:3] == (1, 1, 0)


@given(st.binary(max_size=50), st.integers(0, 9000), st.integers(0, 10), st.integers(0, 10))
@settings(deadline=None, max_examples=40)
def test_holds_is_a_search(text: bytes, before: int, lo: int, less: int) -> None:
    whole = b"\n" * before + text
    hi = max(lo, len(whole) - less)
    assert holds(np.frombuffer(whole + b"\n" * 64, np.uint8), lo, hi, QUOTE) == (b'"' in (whole + b"\n" * 64)[lo:hi])
