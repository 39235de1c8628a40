"""Shared libraries beyond glibc: what the packed files link to and a bare node may lack."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from yarnml.launch.env.elf import Elf, is_elf, read

GLIBC = re.compile(
    r"(ld-linux.*|ld64|linux-vdso|lib(c|m|dl|rt|pthread|util|resolv|anl|mvec|nss_.*|thread_db|BrokenLocale))\.so(\..*)?"
)
LOADER_DIRS = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")


def linked(files: Iterable[Path]) -> dict[str, Path]:
    """The libraries that `files` need and don't hold, by the name that the loader asks for.

    One that this machine doesn't have either is optional: what needs it can't be loaded here.
    """
    packed = {file.name: file for file in files}
    found: dict[str, Path] = {}
    waiting = list(packed.values())
    while waiting:
        file = waiting.pop()
        elf = read(file)
        for name in (n for n in elf.needed if n not in packed and n not in found and not GLIBC.fullmatch(n)):
            library = find(name, elf, file)
            if library is not None:
                found[name] = library
                waiting.append(library)
    return found


def find(name: str, elf: Elf, user: Path) -> Path | None:
    """The file that the loader takes for `name` when `user` asks for it (ld.so(8))."""
    origin = [part.replace("$ORIGIN", str(user.parent)).replace("${ORIGIN}", str(user.parent)) for part in elf.search]
    path = [part for part in os.environ.get("LD_LIBRARY_PATH", "").split(":") if part]
    for folder in (*origin, *path, *system_dirs()):
        file = Path(folder, name)
        if file.is_file() and is_elf(file) and _machine(file) == elf.machine:
            return file.resolve()
    return None


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
