"""What a user adds to the environment: `--py-files` and `--files`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hdfs_io import exists
from yarnml.errors import UsageError
from yarnml.launch.env.entry import Entry, below
from yarnml.launch.env.pack import Pack
from yarnml.launch.env.resource import RESERVED, Resource

IMPORTABLE = (".py", ".zip", ".egg")


def py_files(paths: Sequence[str]) -> tuple[Pack, tuple[str, ...]] | None:
    """A pack of modules, packages and zips, and what of it goes on the module path."""
    if not paths:
        return None
    entries: list[Entry] = []
    for text in paths:
        path = _there(text, "--py-files")
        if not path.is_dir() and path.suffix not in IMPORTABLE:
            raise UsageError(
                f"--py-files {text}: takes {', '.join(IMPORTABLE)} and folders; other files go with --files"
            )
        entries += below(path, path.name) if path.is_dir() else [Entry(path.name, path)]
    _no_twins([Path(text).resolve().name for text in paths], "--py-files")
    zips = [entry.name for entry in entries if "/" not in entry.name and not entry.name.endswith(".py")]
    return Pack("py", tuple(entries), by_content=True), (".", *zips)


def files(paths: Sequence[str]) -> list[tuple[str, Pack | Resource]]:
    """What lies in a container's working directory under its own name: files as they are, folders with all in them."""
    found: list[tuple[str, Pack | Resource]] = []
    for text in paths:
        if "://" in text:
            if not exists(text):
                raise UsageError(f"--files {text}: no such file")
            name = text.rstrip("/").rpartition("/")[2]
            found.append((name, Resource(name, text, archive=False)))
            continue
        path = _there(text, "--files")
        if path.is_dir():
            found.append((path.name, Pack("files", tuple(below(path)), by_content=True)))
        else:
            found.append((path.name, Resource(path.name, str(path), archive=False)))
    names = [name for name, _ in found]
    for name in names:
        if name in RESERVED:
            raise UsageError(f"--files: {name!r} is a name that yarnml uses in containers; rename it")
    _no_twins(names, "--files")
    return found


def _there(text: str, flag: str) -> Path:
    path = Path(text).expanduser().resolve()
    if not path.exists():
        raise UsageError(f"{flag} {text}: no such file or folder (looked for {path})")
    return path


def _no_twins(names: list[str], flag: str) -> None:
    twin = next((name for name in names if names.count(name) > 1), None)
    if twin is not None:
        raise UsageError(f"{flag}: two are called {twin!r}, and containers would see one; rename one")
