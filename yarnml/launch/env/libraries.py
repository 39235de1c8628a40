"""Shared libraries beyond glibc: what the packed files link to and a bare node may lack."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from yarnml.launch.env.elf import is_elf, read

GLIBC = re.compile(
    r"(ld-linux.*|ld64|linux-vdso|lib(c|m|dl|rt|pthread|util|resolv|anl|mvec|nss_.*|thread_db|BrokenLocale))\.so(\..*)?"
)
LOADER_DIRS = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")


def linked(files: Iterable[Path], python: Path) -> dict[str, Path]:
    """The libraries that `files`, `python` among them, need and don't hold, by the name that the loader asks for.

    One that this machine doesn't have either is optional: what needs it can't be loaded here.
    """
    packed = {file.name: file for file in files}
    found: dict[str, Path] = {}
    waiting = list(packed.values())
    everywhere = seen_from(python, read(python).search)  # where the interpreter looks, it looks for all
    while waiting:
        file = waiting.pop()
        elf = read(file)
        folders = [*seen_from(file, elf.search), *everywhere, *_said(), *system_dirs()]
        for name in (n for n in elf.needed if n not in packed and n not in found and not GLIBC.fullmatch(n)):
            library = find(name, folders, elf.machine)
            if library is not None:
                found[name] = library
                waiting.append(library)
    return found


def find(name: str, folders: Iterable[str], machine: int) -> Path | None:
    """The first library of that name that this processor takes (ld.so(8))."""
    files = (Path(folder, name) for folder in folders)
    return next((f.resolve() for f in files if f.is_file() and is_elf(f) and _machine(f) == machine), None)


def seen_from(file: Path, search: Iterable[str]) -> list[str]:
    origin = str(file.parent)
    return [part.replace("$ORIGIN", origin).replace("${ORIGIN}", origin) for part in search]


def _said() -> list[str]:
    return [part for part in os.environ.get("LD_LIBRARY_PATH", "").split(":") if part]


def _machine(file: Path) -> int | None:
    try:
        return read(file).machine
    except ValueError:  # of 32 bits
        return None


@cache
def system_dirs(conf: str = "/etc/ld.so.conf") -> tuple[str, ...]:
    """Where the loader looks when nothing else is said (ldconfig(8))."""
    return (*_configured(Path(conf)), *LOADER_DIRS)


def _configured(conf: Path) -> list[str]:
    folders: list[str] = []
    if not conf.is_file():
        return folders
    for line in conf.read_text(errors="replace").splitlines():
        text = line.partition("#")[0].strip()
        if text.startswith("include "):
            pattern = text.removeprefix("include ").strip().removeprefix(f"{conf.parent}/")
            folders += [f for more in sorted(conf.parent.glob(pattern)) for f in _configured(more)]
        elif text:
            folders.append(text)
    return folders
