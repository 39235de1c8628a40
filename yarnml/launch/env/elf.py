"""An ELF file: the shared libraries that it needs and where it tells the loader to look for them.

Only what the loader reads: program headers and the dynamic section (System V ABI, chapter 5; elf.h of glibc).
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import final

MAGIC = b"\x7fELF"
PT_LOAD, PT_DYNAMIC = 1, 2
DT_NULL, DT_NEEDED, DT_STRTAB, DT_SONAME, DT_RPATH, DT_DEBUG, DT_RUNPATH = 0, 1, 5, 14, 15, 21, 29
SHT_SYMTAB = 2

HEADER = struct.Struct("<16xHHIQQQIHHHHHH")  # Elf64_Ehdr
SEGMENT = struct.Struct("<IIQQQQQQ")  # Elf64_Phdr: type, flags, offset, vaddr, paddr, filesz, memsz, align
SECTION = struct.Struct("<IIQQQQIIQQ")  # Elf64_Shdr
DYNAMIC = struct.Struct("<QQ")  # Elf64_Dyn: tag, value

Bytes = bytes | bytearray | mmap.mmap


@dataclass(frozen=True)
class Segment:
    """A loaded or dynamic part; `at` is where its program header lies in the file."""

    at: int
    kind: int
    offset: int
    address: int
    size: int
    memory: int
    align: int


@dataclass(frozen=True)
class Tag:
    """An entry of the dynamic section; `at` is where it lies in the file."""

    at: int
    tag: int
    value: int


@final
@dataclass(frozen=True)
class Elf:
    machine: int
    segments: tuple[Segment, ...]
    tags: tuple[Tag, ...]  # up to the end of the section, spare DT_NULLs too
    needed: tuple[str, ...]
    soname: str | None
    search: tuple[str, ...]  # RUNPATH, or RPATH if there is none
    symbols: bool  # holds what `strip` removes

    @property
    def loads(self) -> tuple[Segment, ...]:
        return tuple(s for s in self.segments if s.kind == PT_LOAD)

    @property
    def sound(self) -> bool:
        """Whether the loader can map it: a careless `strip` of a patched library leaves offsets that it can't."""
        return all(s.offset % s.align == s.address % s.align for s in self.loads if s.align > 1)


def is_shared(path: Path) -> bool:
    """Whether this is a shared library, by its name first: most files needn't be opened."""
    return ".so" in path.name and is_elf(path)


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == MAGIC


def read(path: Path) -> Elf:
    """Raises ValueError for what is no 64-bit little-endian ELF file."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return parse(data)


def parse(data: Bytes) -> Elf:
    if data[:6] != MAGIC + b"\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    try:
        return _parse(data)
    except (struct.error, StopIteration) as error:
        raise ValueError(f"a damaged ELF file ({error})") from error


def _parse(data: Bytes) -> Elf:
    _, machine, _, _, phoff, shoff, _, _, phsize, phnum, shsize, shnum, _ = HEADER.unpack_from(data)
    segments = tuple(_segment(data, phoff + i * phsize) for i in range(phnum))
    tags = tuple(tag for s in segments if s.kind == PT_DYNAMIC for tag in _tags(data, s))
    used = _used(tags)
    strings = next((_offset(segments, t.value) for t in used if t.tag == DT_STRTAB), 0)

    def texts(tag: int) -> tuple[str, ...]:
        return tuple(_text(data, strings + t.value) for t in used if t.tag == tag)

    search = texts(DT_RUNPATH) or texts(DT_RPATH)
    return Elf(
        machine,
        segments,
        tags,
        needed=texts(DT_NEEDED),
        soname=next(iter(texts(DT_SONAME)), None),
        search=tuple(part for text in search for part in text.split(":") if part),
        symbols=any(SECTION.unpack_from(data, shoff + i * shsize)[1] == SHT_SYMTAB for i in range(shnum)),
    )


def _segment(data: Bytes, at: int) -> Segment:
    kind, _, offset, address, _, size, memory, align = SEGMENT.unpack_from(data, at)
    return Segment(at, kind, offset, address, size, memory, align)


def _tags(data: Bytes, segment: Segment) -> list[Tag]:
    places = range(segment.offset, segment.offset + segment.size, DYNAMIC.size)
    return [Tag(at, *DYNAMIC.unpack_from(data, at)) for at in places]


def _used(tags: tuple[Tag, ...]) -> tuple[Tag, ...]:
    end = next((i for i, t in enumerate(tags) if t.tag == DT_NULL), len(tags))
    return tags[:end]


def _offset(segments: tuple[Segment, ...], address: int) -> int:
    """Where the file holds what is loaded at `address`."""
    return next(
        address - s.address + s.offset
        for s in segments
        if s.kind == PT_LOAD and s.address <= address < s.address + s.size
    )


def _text(data: Bytes, at: int) -> str:
    end = data.find(b"\0", at)
    return bytes(data[at:end]).decode()
