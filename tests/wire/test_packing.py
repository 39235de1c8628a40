"""Packing: what comes out equals what went in; it is packed where that is smaller; a small message stays so."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnml.ps.rounding import rounded
from yarnml.wire import packing
from yarnml.wire.frames import DESCRIPTOR, HEADER, WireError, decode, encode
from yarnml.wire.message import EndClock, Get, Patch, Rows

Array = np.ndarray[Any, Any]


def wired(message: Any) -> tuple[Any, int]:
    """What arrives, and how many bytes it took."""
    frames = [frame if isinstance(frame, bytes) else frame.tobytes() for frame in encode(message)]
    return decode(frames), sum(map(len, frames))


def patched(values: Array, rows: Array | None = None, exponent: int | None = None) -> tuple[Array, int]:
    patch = Patch(0, 0 if rows is None else -1, rows, values, exponent)
    came, size = wired(EndClock(patches=(patch,)))
    assert came.patches[0].values.dtype == values.dtype
    return came.patches[0].values, size


@settings(deadline=None)
@given(
    first=st.integers(-5, 1 << 62),
    gaps=st.lists(st.sampled_from([1, 2, 255, 256, 65535, 65536, (1 << 32) - 1, 1 << 32]), max_size=200),
    few=st.integers(1, 8),
)
def test_lists_of_rows(first: int, gaps: list[int], few: int) -> None:
    gaps = gaps[: len(gaps) // few * few] * few  # long ones too
    rows = first + np.cumsum([0, *gaps]).astype(np.int64)
    came, _ = wired(Get(table=0, rows=rows))
    np.testing.assert_array_equal(came.rows, rows)


@pytest.mark.parametrize("rows", [[], [7], list(range(500, 0, -1)), [3] * 200, [-(1 << 63), *range(200)]])
def test_lists_that_cannot_be_packed(rows: list[int]) -> None:
    came, _ = wired(Get(table=0, rows=np.array(rows, np.int64)))
    np.testing.assert_array_equal(came.rows, np.array(rows, np.int64))


def test_a_row_takes_one_byte_where_rows_are_close() -> None:
    rows = np.cumsum(np.random.default_rng(0).integers(1, 200, 10_000))
    assert wired(Get(table=0, rows=rows))[1] < 10_200


@settings(deadline=None)
@given(
    shape=st.tuples(st.integers(0, 60), st.integers(1, 40)),
    dtype=st.sampled_from(["float32", "float64", "int32", "int64"]),
    density=st.sampled_from([0.0, 0.01, 0.3, 0.6, 1.0]),
    seed=st.integers(0, 1000),
)
def test_values(shape: tuple[int, int], dtype: str, density: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = (100 * rng.normal(size=shape) * (rng.random(shape) < density)).astype(dtype)
    if dtype.startswith("float") and values.size:
        values.flat[rng.integers(values.size)] = rng.choice([np.nan, -0.0, np.inf])
    came, size = patched(values)
    np.testing.assert_array_equal(came, values)
    assert size <= HEADER.size + DESCRIPTOR.size + 32 + values.nbytes
    (block,) = wired(Rows(table=0, stop=shape[0], values=(values,)))[0].values
    np.testing.assert_array_equal(block, values)


def test_a_sparse_patch_takes_pairs_and_a_dense_one_does_not() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(1000, 50)).astype(np.float32)
    assert patched(values)[1] > values.nbytes
    assert patched(values * (rng.random(values.shape) < 0.01))[1] < 0.03 * values.nbytes
    assert patched(np.zeros_like(values))[1] < 200
    assert patched(values.T)[1] > values.nbytes, "one that isn't contiguous is not looked at"


@settings(deadline=None)
@given(
    seed=st.integers(0, 1000),
    scale=st.sampled_from([1e-30, 1e-5, 1.0, 1e5, 1e30]),
    dtype=st.sampled_from(["float32", "float64"]),
    density=st.sampled_from([0.02, 1.0]),
)
def test_halves(seed: int, scale: float, dtype: str, density: float) -> None:
    rng = np.random.default_rng(seed)
    values, exponent = rounded((scale * rng.normal(size=(30, 20)) * (rng.random((30, 20)) < density)).astype(dtype))
    came, size = patched(values, exponent=exponent)
    np.testing.assert_array_equal(came, values)
    assert size < HEADER.size + DESCRIPTOR.size + 32 + (2 if density == 1 else 0.3) * values.size


def test_a_small_message_does_not_fill_the_memory() -> None:
    many = np.zeros((packing.UNPACKED // 8, 1))
    (frame,) = encode(EndClock(patches=(Patch(0, 0, None, many),)))
    assert isinstance(frame, bytes)
    assert len(frame) < 200
    decode([frame])
    twice = (
        frame[: HEADER.size - 4] + struct.pack("<I", 2) + frame[HEADER.size : HEADER.size + DESCRIPTOR.size] * 2
    )  # fmt: skip
    with pytest.raises(WireError, match="are packed"):
        decode([twice + bytes(-len(twice) % 16)])
    sizes = [
        len(f) if isinstance(f, bytes) else f.nbytes for f in encode(EndClock(patches=(Patch(0, 0, None, many),) * 2))
    ]
    assert sum(sizes) > many.nbytes, "the second one travels as it is"


@pytest.mark.parametrize(
    ("form", "base"),
    [
        (packing.PAIRS, 101), (packing.PAIRS, -1), (packing.PAIRS | 12, 1), (packing.INDEX, 0), (3, 0), (4, 0), (64, 0),
        (packing.PAIRS, 1 << 40),
    ],
)  # fmt: skip
def test_forms_that_are_none(form: int, base: int) -> None:
    with pytest.raises(ValueError, match="form"):
        packing.wire_size(form, base, np.dtype("f4"), [10, 10])


@pytest.mark.parametrize("gaps", [[11], [1, 0], [10, 1]])
def test_pairs_beyond_the_array_or_twice(gaps: list[int]) -> None:
    buffer = bytes(gaps) + np.zeros(len(gaps), np.float32).tobytes()
    with pytest.raises(ValueError, match="places"):
        packing.unpack(memoryview(buffer), packing.PAIRS, len(gaps), 0, np.dtype("f4"), 10)
