"""Opened: a model that this process has opened and is about to open again, kept in between, so that it is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from hdfs_io import open_fs

if TYPE_CHECKING:
    from yarnml.app.app import App
    from yarnml.model import Model

Opened = tuple["Model", "App"]
_keeps = ContextVar("keeps", default=False)
_kept: dict[tuple[str, bool], tuple[str, Opened]] = {}  # one at most: how its files were, and what was opened


@contextmanager
def keeping(wanted: bool) -> Iterator[None]:
    """Within, if it is `wanted`, what is opened is kept until it is opened once more."""
    before = _keeps.set(wanted)
    try:
        yield
    finally:
        _keeps.reset(before)


def once(url: str, trust: bool, open_it: Callable[[], Opened]) -> Opened:
    """What was kept, if its files are still the same; else what `open_it` returns, which may be kept."""
    files = _files(url) if _keeps.get() or _kept else ""
    known = _kept.pop((url, trust), None)
    found = known[1] if known is not None and known[0] == files else open_it()
    if _keeps.get():
        _kept.clear()
        _kept[url, trust] = files, found
    return found


def _files(url: str) -> str:
    """Names, sizes, times and whatever else a store tells of the files: it changes when they do."""
    fs, path = open_fs(url)
    return repr(sorted(fs.find(path, detail=True).items()))
