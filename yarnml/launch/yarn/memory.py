"""Memory: as flags say it and as people read it."""

from __future__ import annotations

import re
from pathlib import Path

from yarnml.errors import UsageError

UNITS = {"": 20, "M": 20, "MB": 20, "MIB": 20, "G": 30, "GB": 30, "GIB": 30, "T": 40, "TB": 40, "TIB": 40}


def megabytes(text: str, flag: str) -> int:
    """`2GiB`, `1.5g` or `2048` as MiB, which is what YARN counts in."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    if match is None or match[2].upper() not in UNITS:
        raise UsageError(f"{flag} {text}: expected memory such as 2GiB or 512MiB")
    size = int(float(match[1]) * 2 ** (UNITS[match[2].upper()] - 20))
    if size < 1:
        raise UsageError(f"{flag} {text}: 1MiB is the least")
    return size


def spoken(mb: float) -> str:
    """`1.5 GiB`, `512 MiB`."""
    return f"{mb / 1024:.4g} GiB" if mb >= 1024 else f"{mb:.0f} MiB"


def resident(pid: int | str = "self") -> int:
    """MiB of memory that a process holds."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    return int(fields["VmRSS"].split()[0]) >> 10
