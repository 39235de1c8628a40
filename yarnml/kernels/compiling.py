"""Compiling: what numba does of kernels that are called for the first time on a machine, while nothing is seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, final

from numba.core import event

from yarnml.kernels import COMPILING

OURS = ("yarnml.", "yarnml_apps.", "hdfs_io.")  # modules whose kernels are kept for the next run


@contextmanager
def told(say: Callable[[str], None]) -> Iterator[None]:
    """Within, `say` hears, once, that kernels are being compiled; in any thread of this process."""
    with event.install_listener("numba:compile", _Listener(say)):
        yield


@final
class _Listener(event.Listener):
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._told = False

    def on_start(self, event: Any) -> None:
        if not self._told and event.data["dispatcher"].py_func.__module__.startswith(OURS):
            self._told = True
            self._say(COMPILING)

    def on_end(self, event: Any) -> None:
        pass
