"""Work ahead: results in order, never far ahead, errors in their place, threads that end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdfs_io.ahead import ahead


def put_all(numbers: list[int], put: Callable[[int], None]) -> None:
    for number in numbers:
        put(number)


@given(
    tasks=st.lists(st.lists(st.integers(), max_size=4), max_size=8), threads=st.integers(1, 4), depth=st.integers(1, 3)
)
def test_results_come_in_the_tasks_order(tasks: list[list[int]], threads: int, depth: int) -> None:
    found = list(ahead((partial(put_all, numbers) for numbers in tasks), threads, depth))
    assert found == [number for numbers in tasks for number in numbers]


def test_an_error_comes_in_its_place() -> None:
    def fail(put: Callable[[int], None]) -> None:
        put(2)
        raise ValueError("broken")

    tasks: list[Callable[[Callable[[int], None]], None]] = [partial(put_all, [1]), fail, partial(put_all, [3])]
    results = ahead(tasks, threads=3)
    assert [next(results), next(results)] == [1, 2]
    with pytest.raises(ValueError, match="broken"):
        next(results)


def test_no_more_is_begun_than_may_wait() -> None:
    begun: list[int] = []

    def task(number: int, put: Callable[[int], None]) -> None:
        begun.append(number)
        put(number)

    def tasks() -> Iterator[Callable[[Callable[[int], None]], None]]:
        for number in range(1000):
            yield partial(task, number)

    results = ahead(tasks(), threads=2)
    assert [next(results) for _ in range(5)] == [0, 1, 2, 3, 4]
    assert max(begun) <= 4 + 3
    results.close()


def test_closing_ends_the_threads() -> None:
    before = set(threading.enumerate())
    results = ahead((partial(put_all, list(range(100))) for _ in range(100)), threads=3)
    next(results)
    results.close()
    deadline = time.monotonic() + 10
    while set(threading.enumerate()) - before:
        assert time.monotonic() < deadline, "threads go on that nobody needs"
        threading.Event().wait(0.01)
