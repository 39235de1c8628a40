"""Relocating: an interpreter and its libraries find each other wherever they are unpacked.

The interpreter gets one DT_RPATH, `$ORIGIN/../lib`. Unlike a RUNPATH it also serves every library that the process
loads later, if that has no RUNPATH itself (ld.so(8)); so the others' RUNPATHs become RPATHs, or go where they name a
folder of the machine that packed. All is done in place: an entry of the dynamic section, and a string in the zeros
that follow a loaded segment up to its page's end.
"""

from __future__ import annotations

from yarnml.errors import UsageError
from yarnml.launch.env.elf import (
    DT_DEBUG,
    DT_NULL,
    DT_RPATH,
    DT_RUNPATH,
    DT_STRTAB,
    DYNAMIC,
    SEGMENT,
    Elf,
    Segment,
    Tag,
)
from yarnml.launch.env.elf import parse as parse_elf


def relocate(data: bytearray) -> None:
    """Let a library look where it said, seen from itself, and then where the interpreter does."""
    elf = parse_elf(data)
    keep = all(part.startswith("$ORIGIN") for part in elf.search)
    for tag in elf.tags:
        if tag.tag in (DT_RPATH, DT_RUNPATH):
            # DT_DEBUG says nothing in a library: an entry can't be taken out, only be made to say nothing.
            DYNAMIC.pack_into(data, tag.at, DT_RPATH if keep else DT_DEBUG, tag.value)


def look_in(data: bytearray, folder: str) -> None:
    """Make an executable, and all that it loads, look for libraries in `folder`. UsageError if it has no room."""
    elf = parse_elf(data)
    text = folder.encode() + b"\0"
    segment, tag = _room(elf, data, len(text)), _entry(elf)
    strings = next((t.value for t in elf.tags if t.tag == DT_STRTAB), None)
    if segment is None or tag is None or strings is None:
        raise UsageError(
            "this Python's executable has no room for a library path, so it can't be shipped; "
            "use one of python.org, uv, conda or pyenv, or say --env with a tarball made by conda-pack"
        )
    end = segment.offset + segment.size
    data[end : end + len(text)] = text
    size, memory = segment.size + len(text), segment.memory + len(text)
    SEGMENT.pack_into(data, segment.at, *_grown(data, segment, size, memory))
    DYNAMIC.pack_into(data, tag.at, DT_RPATH, segment.address + segment.size - strings)


def _entry(elf: Elf) -> Tag | None:
    """The entry to write: the path there is, else the first spare one (the last stays: it ends the section)."""
    paths = [t for t in elf.tags if t.tag in (DT_RPATH, DT_RUNPATH)]
    spare = [t for t in elf.tags if t.tag == DT_NULL][:-1]
    return next(iter(paths + spare), None)


def _room(elf: Elf, data: bytearray, size: int) -> Segment | None:
    """A loaded segment followed by `size` zeros that belong to nobody, in the file and in memory."""
    strings = next((t.value for t in elf.tags if t.tag == DT_STRTAB), 0)
    for this, after in zip(elf.loads, elf.loads[1:], strict=False):
        end = this.offset + this.size
        free = this.size == this.memory and this.address + this.size + size <= after.address - after.address % 4096
        if (
            free
            and end + size <= after.offset
            and this.address + this.size > strings
            and not any(data[end : end + size])
        ):
            return this
    return None


def _grown(data: bytearray, segment: Segment, size: int, memory: int) -> tuple[int, ...]:
    kind, flags, offset, address, physical, _, _, align = SEGMENT.unpack_from(data, segment.at)
    return kind, flags, offset, address, physical, size, memory, align
