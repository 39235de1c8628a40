"""A small ELF file, made by hand: what the reader and the relocation are tested on."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from yarnml.launch.env.elf import (
    DT_NEEDED,
    DT_NULL,
    DT_SONAME,
    DT_STRTAB,
    DYNAMIC,
    HEADER,
    MAGIC,
    PT_DYNAMIC,
    PT_LOAD,
    SEGMENT,
)

PAGE = 4096
X86_64 = 62


def elf(
    needed: Sequence[str] = (), soname: str = "", path: tuple[int, str] | None = None, spare: int = 2, room: bool = True
) -> bytes:
    """Two loaded pages: strings in the first, the dynamic section in the second. `path`: its tag and text."""
    texts, tags = b"\0", []
    for tag, text in [*((DT_NEEDED, name) for name in needed), (DT_SONAME, soname), *([path] if path else [])]:
        if text:
            tags.append((tag, len(texts)))
            texts += text.encode() + b"\0"
    headers = HEADER.size + 3 * SEGMENT.size
    tags += [(DT_STRTAB, headers), *[(DT_NULL, 0)] * spare]
    first = headers + len(texts) if room else PAGE
    dynamic = b"".join(DYNAMIC.pack(*tag) for tag in tags)
    segments = [
        (PT_LOAD, 4, 0, 0, 0, first, first, PAGE),
        (PT_LOAD, 6, PAGE, PAGE, 0, len(dynamic), len(dynamic), PAGE),
        (PT_DYNAMIC, 6, PAGE, PAGE, 0, len(dynamic), len(dynamic), 8),
    ]
    ident = MAGIC + b"\x02\x01\x01" + bytes(9)
    header = ident + HEADER.pack(3, X86_64, 1, 0, HEADER.size, 0, 0, HEADER.size, SEGMENT.size, 3, 0, 0, 0)[16:]
    page = header + b"".join(struct.pack("<IIQQQQQQ", *s) for s in segments) + texts
    return page.ljust(PAGE, b"\0") + dynamic
