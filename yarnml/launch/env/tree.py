"""A tree: a pack's files laid out in a folder as they will lie on a node, stripped, relocated, compiled."""

from __future__ import annotations

import os
import py_compile
import shutil
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from yarnml.launch.env.elf import Elf, is_elf, is_shared, read
from yarnml.launch.env.entry import Entry
from yarnml.launch.env.python import EXECUTABLE, LIBRARIES
from yarnml.launch.env.relocate import look_in, relocate


def lay(entries: Iterable[Entry], root: Path) -> None:
    """Copy every file to its name below `root`; what it links to, if it is a link."""
    for entry in entries:
        target = root / entry.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(entry.source, target)
        target.chmod(0o755 if entry.source.stat().st_mode & 0o100 else 0o644)


def settle_python(root: Path) -> None:
    """Make an interpreter find its libraries wherever it lies."""
    python = root / EXECUTABLE
    strip(python)
    data = bytearray(python.read_bytes())
    look_in(data, f"$ORIGIN/../{LIBRARIES}")
    python.write_bytes(data)


def settle_libraries(root: Path) -> None:
    """Make shared libraries small, and independent of this machine."""
    libraries = [file for file in root.rglob("*.so*") if is_shared(file)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(strip, libraries))
    for library in libraries:
        _edit(library)


def strip(file: Path) -> None:
    """Remove symbols and debug information where that is possible; the file stays as it is where it isn't."""
    program = shutil.which("strip")
    before = read(file)
    if program is None or not before.symbols:
        return
    stripped = file.with_name(f"{file.name}.stripped")
    done = subprocess.run([program, "-o", str(stripped), str(file)], capture_output=True, check=False)
    if done.returncode == 0 and is_elf(stripped) and _same(before, read(stripped)):
        shutil.copymode(file, stripped)
        stripped.replace(file)
    stripped.unlink(missing_ok=True)


def compile_sources(files: Iterable[Path], root: Path) -> None:
    """Byte code beside each source, never compared with it: a node may keep other times, and need not write."""
    for file in files:
        py_compile.compile(
            str(file),
            dfile=file.relative_to(root).as_posix(),
            quiet=2,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )


def _same(before: Elf, after: Elf) -> bool:
    """Whether the loader sees the same: `strip` spoils some libraries that were patched before."""
    return after.sound and (after.needed, after.search, len(after.loads)) == (
        before.needed,
        before.search,
        len(before.loads),
    )


def _edit(library: Path) -> None:
    data = bytearray(library.read_bytes())
    before = bytes(data)
    relocate(data)
    if data != before:
        library.write_bytes(data)
