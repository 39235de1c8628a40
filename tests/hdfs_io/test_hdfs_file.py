"""Files in HDFS as they are read: the right bytes in any order of reads, whatever becomes of a stream."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdfs_io import hdfs_file
from hdfs_io.hdfs_file import HdfsReader

DATA = os.urandom(1000)


class Inner:
    """Of hdfs-native, as far as it is used; streams break after so many chunks, of sizes of their own."""

    def __init__(self, chunks: list[int], breaks: list[int]) -> None:
        self._chunks, self._breaks = chunks, breaks
        self.requests = 0

    def __len__(self) -> int:
        return len(DATA)

    def read_range(self, start: int, n: int) -> bytes:
        assert 0 <= start <= start + n <= len(DATA)
        self.requests += 1
        return DATA[start : start + n]

    def read_range_stream(self, start: int, n: int) -> Iterator[bytes]:
        assert start + n == len(DATA)
        self.requests += 1
        breaks = self._breaks.pop() if self._breaks else 1 << 30
        for i in range(n):
            if i == breaks:
                raise RuntimeError("connection reset")
            size = self._chunks[i % len(self._chunks)]
            if start >= len(DATA):
                return
            yield DATA[start : start + size]
            start += size


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hdfs_file, "BUFFER", 16)


STEPS = st.one_of(
    st.tuples(st.just("read"), st.integers(0, 200)),
    st.tuples(st.just("readinto"), st.integers(0, 200)),
    st.tuples(st.just("seek"), st.integers(0, len(DATA) + 20)),
)


@given(
    steps=st.lists(STEPS, max_size=30),
    chunks=st.lists(st.integers(1, 90), min_size=1, max_size=4),
    breaks=st.lists(st.integers(0, 3), max_size=3),
)
@settings(deadline=None)
def test_it_reads_as_bytes_would(steps: list[tuple[str, int]], chunks: list[int], breaks: list[int]) -> None:
    file, at = HdfsReader(Inner(chunks, breaks), nullcontext), 0
    for what, n in steps:
        if what == "seek":
            at = file.seek(n)
            continue
        if what == "read":
            got = file.read(n)
        else:
            buffer = bytearray(n)
            got = bytes(buffer[: file.readinto(buffer)])
        assert got == DATA[at : at + n]
        at += len(got)
        assert file.tell() == at


@pytest.mark.parametrize("bite", [5, 40])
def test_in_its_order_it_comes_by_two_requests(bite: int) -> None:
    inner = Inner([7], [])
    file = HdfsReader(inner, nullcontext)
    assert b"".join(iter(lambda: file.read(bite), b"")) == DATA
    assert inner.requests == 2


def test_what_fails_twice_is_an_error() -> None:
    class Broken(Inner):
        def read_range(self, start: int, n: int) -> Any:
            if start:
                raise OSError("gone")
            return super().read_range(start, n)

    file = HdfsReader(Broken([7], [0]), nullcontext)
    file.read(20)
    with pytest.raises(OSError, match="gone"):
        file.read(20)
