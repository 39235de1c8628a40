"""A limit: the memory in which a worker keeps rows that it has read, with all that is kept to find them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from yarnml.errors import UsageError
from yarnml.ps.spec import TableSpec

UNITS = {"kib": 10, "k": 10, "mib": 20, "m": 20, "gib": 30, "g": 30}
FORM = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(%|[a-z]+)\s*", re.IGNORECASE)


def limits(text: str | None, specs: Sequence[TableSpec]) -> list[int | None]:
    """Bytes for each table: `5%` of its rows' bytes, or its share of `512MiB`. None: no limit.

    Raises UsageError for any other text.
    """
    if text is None:
        return [None] * len(specs)
    part, room = understood(text)
    sizes = [spec.rows * spec.width * spec.numpy_dtype.itemsize for spec in specs]
    return [int(size * part) + room * size // sum(sizes) for size in sizes]


def understood(text: str) -> tuple[float, int]:
    """(part of each table, bytes for all of them), one of which is 0. Raises UsageError."""
    number, unit = _cut(text)
    if unit == "%" and number > 100:
        raise UsageError(f"--cache {text}: there is no more than 100% of a table; leave it out to keep all")
    if unit == "%" and number:
        return number / 100, 0
    if unit not in UNITS or not number:
        raise UsageError(
            f"--cache {text}: expected a part of each table such as 5%, or memory such as 512MiB{_hint(text)}"
        )
    return 0.0, memory(text, "--cache")


def memory(text: str, flag: str) -> int:
    """The bytes of `512MiB`. Raises UsageError, which names the flag, for any other text."""
    number, unit = _cut(text)
    if unit not in UNITS or not number:
        raise UsageError(f"{flag} {text}: expected a size such as 512MiB{_hint(text)}")
    return max(1, int(number * 2 ** UNITS[unit]))


def _hint(text: str) -> str:
    return f"; the unit is missing: {text}MiB?" if re.fullmatch(r"\d+(\.\d+)?", text.strip()) else ""


def _cut(text: str) -> tuple[float, str]:
    found = FORM.fullmatch(text)
    return (0.0, "") if found is None else (float(found[1]), found[2].lower())
