"""Spoken: numbers of things, and of bytes, as people say them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

UNITS = ("bytes", "KB", "MB", "GB", "TB")


def many(count: int, noun: str) -> str:
    """`1 file`, `2,000 files`; of several words the last is the noun."""
    return f"{count:,} {noun if count == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """The word for several."""
    if noun == "index":
        return "indices"
    if re.search(r"(s|x|ch|sh)$", noun):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if re.search(r"[^aeiou]y$", noun) else f"{noun}s"


def some_are(count: int, noun: str, what: str) -> str:
    """`1 label is nan`; `3 labels are nan, the first here`, where a place in a file was named."""
    return f"{many(count, noun)} {'is' if count == 1 else 'are'} {what}{at_first(count)}"


def at_first(count: int) -> str:
    """What is said beside a place, if there are more of them."""
    return ", the first here" if count > 1 else ""


def listed(things: Sequence[object], most: int, word: Callable[[object], str] = repr) -> str:
    """The first of them by comma, and dots if there are more than `most`."""
    return ", ".join(map(word, things[:most])) + ", ..." * (len(things) > most)


def sized(size: float) -> str:
    """A number of bytes."""
    unit = 0
    while size >= 1000 and unit + 1 < len(UNITS):
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {UNITS[unit]}"
