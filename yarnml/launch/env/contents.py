"""Contents: the packs that a run is sent as.

The code is small and changes often; the runtime is large and hardly ever does. So they are packs of their own.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from yarnml.launch.env.elf import is_shared
from yarnml.launch.env.entry import Entry, below
from yarnml.launch.env.libraries import linked
from yarnml.launch.env.pack import Pack
from yarnml.launch.env.packages import compiled, entries, needed, own
from yarnml.launch.env.probe import probe
from yarnml.launch.env.python import EXECUTABLE, LIBRARIES, executable, site_packages, stdlib
from yarnml.launch.env.tree import compile_sources, settle_libraries, settle_python


def runtime() -> Pack:
    """The interpreter, its standard library, the packages that yarnml needs, and the libraries they link to."""
    site = site_packages()
    packages = [Entry(f"{site}/{entry.name}", entry.source) for dist in needed() for entry in entries(dist)]
    found = [Entry(EXECUTABLE, executable()), *stdlib(), *packages]
    libraries = linked((e.source for e in found if is_shared(e.source) or e.name == EXECUTABLE), executable())
    found += [Entry(f"{LIBRARIES}/{name}", file) for name, file in libraries.items()]
    tops = {entry.name.removeprefix(f"{site}/").partition("/")[0].removesuffix(".py") for entry in packages}
    return Pack("env", tuple(found), finish=partial(_finish_runtime, frozenset(tops)))


def code() -> Pack:
    """yarnml itself, and its kernels as far as they were compiled here."""
    return Pack("code", tuple(own()), tuple(compiled()), _finish_code, by_content=True)


def app(folder: Path) -> Pack:
    """A private app, in a folder of its own name."""
    return Pack("app", tuple(below(folder, folder.name)), by_content=True)


def _finish_runtime(packages: frozenset[str], root: Path) -> None:
    settle_libraries(root)
    settle_python(root)
    # Byte code of what is never imported would be a tenth of the archive.
    compile_sources(probe(root, packages), root)


def _finish_code(root: Path) -> None:
    compile_sources(root.rglob("*.py"), root)
