"""Skein's jar, with a fault of its application master mended.

Each container that is asked for has a priority of its own, by which it is known when it comes. Skein takes the next
number after the last of those that are outstanding, in the order of YARN's priorities, in which the last is the
*smallest* number. So a third request takes the second one's number when three containers end one after the other, and
one of them never comes. The number after the first, the largest, is free.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

MASTER = "com/anaconda/skein/ApplicationMaster.class"
# names in the class's pool: a tag, the length, the name; it is used there once
LAST, FIRST = b"\x01\x00\x07lastKey", b"\x01\x00\x08firstKey"


def mend(jar: Path, to: Path) -> None:
    """Write a jar that is like this one but for the fault, if it has it."""
    with zipfile.ZipFile(jar) as old, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for entry in old.infolist():
            data = old.read(entry)
            new.writestr(entry.filename, data.replace(LAST, FIRST) if entry.filename == MASTER else data)
