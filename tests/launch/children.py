"""The processes that this one has started, and they in turn."""

from __future__ import annotations

from contextlib import suppress

import psutil


def children(*words: str) -> list[psutil.Process]:
    """Those that live, of yarnml, with all these words in their command."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has ended since
            line = process.cmdline()
            if any("yarnml.launch" in word for word in line) and all(word in line for word in words):
                found.append(process)
    return found


def role(name: str, index: int) -> tuple[str, ...]:
    """The words of one worker or server."""
    return "--role", name, "--index", str(index)
