"""Together: workers in threads of one process, each in a company that really meets. For tests."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from yarnml.comm.company import Company

T = TypeVar("T")
PATIENCE = 30.0  # seconds


class Together(Company):
    """One worker's end of a meeting."""

    def __init__(self, index: int, table: list[Any], barrier: threading.Barrier) -> None:
        self.index, self.table, self.barrier = index, table, barrier
        self.reports: list[dict[str, float]] = []

    def gather(self, array: np.ndarray) -> list[np.ndarray]:
        self.table[self.index] = array
        self.barrier.wait()
        found = list(self.table)
        self.barrier.wait()
        return found

    def check(self) -> None:
        pass

    def report(self, numbers: dict[str, float]) -> None:
        self.reports.append(numbers)


def together(workers: int, function: Callable[[int, Together], T]) -> list[T]:
    """`function(index, company)` of all workers at once; their results in order, or the error that ended them."""
    barrier, table = threading.Barrier(workers, timeout=PATIENCE), [None] * workers

    def one(index: int) -> T:
        try:
            return function(index, Together(index, table, barrier))
        except BaseException:
            barrier.abort()
            raise

    with ThreadPoolExecutor(workers) as pool:
        done = [pool.submit(one, index) for index in range(workers)]
    errors = [error for each in done if (error := each.exception()) is not None]
    for error in errors:  # the others only waited for the one that failed
        if not isinstance(error, threading.BrokenBarrierError):
            raise error
    return [each.result() for each in done]
