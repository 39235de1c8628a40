"""Frugal: what is let go is given back to the system at once; allocators keep it for later, in pieces."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

MMAP_THRESHOLD = -3  # glibc's name of the size from which an array is a mapping of its own
TRIM_THRESHOLD = -1  # and of what may lie free at a heap's end: twice the other, where glibc chooses both
LARGE, USUAL = 1 << 18, 32 << 20  # bytes; the usual one costs less time, and is what glibc comes to by itself

OWN = pa.default_memory_pool()  # Arrow's, which the inside of its Parquet reader uses always


@contextmanager
def frugal() -> Iterator[None]:
    """For work in which many threads make and drop large arrays; it costs page faults."""
    give_back()  # what work before kept
    _own_mappings(LARGE)
    pa.set_memory_pool(pa.system_memory_pool())  # its own keeps nearly twice of what it has in use
    try:
        yield
    finally:
        pa.set_memory_pool(OWN)
        _own_mappings(USUAL)
        give_back()


def give_back() -> None:
    """What allocators have kept of what was let go."""
    OWN.release_unused()
    _libc("malloc_trim", 0)


def _own_mappings(size: int) -> None:
    _libc("mallopt", MMAP_THRESHOLD, size)
    _libc("mallopt", TRIM_THRESHOLD, 2 * size)


def _libc(function: str, *args: int) -> None:
    """Call it where there is one of that name: of glibc alone."""
    call = getattr(ctypes.CDLL(None), function, None)
    if call is not None:
        call(*args)
