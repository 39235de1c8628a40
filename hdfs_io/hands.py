"""Hands: how many threads read a data set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from hdfs_io.store import is_here

A = TypeVar("A")
B = TypeVar("B")
SMALL = 1 << 20  # bytes of a piece below which waiting for its store takes longer than reading it
HANDS = 8
IN_HAND = 48 << 20  # bytes that a thread has while it surveys: a piece of text, or what is unpacked of a row group


def hands(url: str, size: float, threads: int, memory: int | None = None) -> int:
    """Threads that read pieces of `size` bytes of a data set at `url` where `threads` may compute.

    More than that if it is elsewhere and its pieces are small: then most of the time goes by waiting. Fewer, but one,
    if what they have in hand would be more than `memory` bytes.
    """
    many = max(threads, HANDS) if size < SMALL and not is_here(url) else threads
    return many if memory is None else max(1, min(many, int(memory // min(IN_HAND, max(size, SMALL)))))


def each(function: Callable[[A], B], items: Iterable[A], threads: int) -> Iterator[B]:
    """`function` of every item, in their order, by so many threads at once."""
    if threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(function, items)
