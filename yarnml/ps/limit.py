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
    sizes = [spec.rows * spec.width * spec.numpy_dtype.itemsize for spec in specs]
    number, unit = _understood(text)
    if unit == "%":
        return [int(size * number / 100) for size in sizes]
    room = int(number * 2 ** UNITS[unit])
    return [room * size // sum(sizes) for size in sizes]


def refuse_limit(text: str) -> None:
    """Raise UsageError if `limits` wouldn't understand it."""
    _understood(text)


def _understood(text: str) -> tuple[float, str]:
    found = FORM.fullmatch(text)
    number, unit = (0.0, "") if found is None else (float(found[1]), found[2].lower())
    if number <= 0 or unit not in {"%", *UNITS}:
        raise UsageError(f"--cache {text}: expected a part of each table such as 5%, or memory such as 512MiB")
    return number, unit
