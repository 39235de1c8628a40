"""Ahead: threads that work ahead of who takes their results, but never far."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from queue import Full, Queue
from typing import Any, TypeVar, final

T = TypeVar("T")
Put = Callable[[T], None]
Task = Callable[[Put[T]], None]  # puts any number of results
LOOK = 0.1  # seconds after which a thread that waits for room looks whether its results are still wanted


@final
@dataclass(frozen=True)
class _End:
    """A task's last word."""

    error: BaseException | None


class _Unwanted(Exception):
    """Nobody takes results any more."""


def ahead(tasks: Iterable[Task[T]], threads: int = 1, depth: int = 1) -> Generator[T, None, None]:
    """What the tasks put, in the tasks' order; they are begun in that order, by `threads` threads at once.

    At most `threads` + 1 tasks are begun and not yet taken, and at most `depth` results of each wait. A task's error
    is raised in its place. Closing the iterator ends the threads.
    """
    begun: Queue[tuple[Task[T], Queue[Any]] | None] = Queue()
    lines: deque[Queue[Any]] = deque()
    unwanted = threading.Event()
    for _ in range(threads):
        threading.Thread(target=_work, args=(begun, unwanted), name="ahead", daemon=True).start()
    rest = iter(tasks)

    def begin() -> None:
        task = next(rest, None)
        if task is not None:
            lines.append(Queue(depth))
            begun.put((task, lines[-1]))

    try:
        for _ in range(threads + 1):
            begin()
        while lines:
            yield from _taken(lines[0])
            lines.popleft()
            begin()
    finally:
        unwanted.set()
        for _ in range(threads):
            begun.put(None)


def _taken(line: Queue[Any]) -> Iterator[Any]:
    while not isinstance(found := line.get(), _End):
        yield found
    if found.error is not None:
        raise found.error


def _work(begun: Queue[tuple[Task[Any], Queue[Any]] | None], unwanted: threading.Event) -> None:
    while (next_ := begun.get()) is not None:
        task, line = next_

        def put(result: Any, line: Queue[Any] = line) -> None:
            _put(line, result, unwanted)

        try:
            error = _error(task, put)
            put(_End(error))
        except _Unwanted:
            continue


def _error(task: Task[Any], put: Put[Any]) -> BaseException | None:
    try:
        task(put)
    except _Unwanted:
        raise
    except BaseException as error:  # noqa: BLE001 (raised where the result would have been taken)
        return error
    return None


def _put(line: Queue[Any], result: Any, unwanted: threading.Event) -> None:
    while not unwanted.is_set():
        try:
            line.put(result, timeout=LOOK)
        except Full:
            continue
        return
    raise _Unwanted
