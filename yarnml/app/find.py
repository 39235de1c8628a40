"""Find: an app by its name, or by the path of its folder. Nothing is registered anywhere."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from yarnml.app.app import App
from yarnml.errors import UsageError, YarnmlError, nearest

PACKAGE = "yarnml_apps"


def app_names() -> list[str]:
    """The apps that came with yarnml, for people."""
    return [name for name in _installed() if not name.startswith("_")]


def _installed() -> list[str]:
    """Those too that yarnml itself runs: their names begin with _."""
    folders = importlib.import_module(PACKAGE).__path__
    return sorted({file.parent.name for folder in folders for file in Path(folder).glob("*/app.py")})


def load_app(ref: str) -> App:
    """The app named `ref`, or in the folder `ref` if that is a path. UsageError says what is wrong or what is near."""
    if "/" in ref or ref.startswith("."):
        return _by_path(Path(ref).expanduser().absolute())
    if ref not in _installed():
        here = f"; a folder is named by its path: ./{ref}" if (Path(ref) / "app.py").is_file() else ""
        raise UsageError(f"no app {ref!r}{nearest(ref, app_names())}{here}")
    package = importlib.import_module(f"{PACKAGE}.{ref}")
    module = importlib.import_module(f"{PACKAGE}.{ref}.app")
    return _app(ref, ref, package, module, read_source(Path(package.__path__[0])), private=False)


def load_private(name: str, ref: str, folder: Path) -> App:
    """The app in `folder`, imported under a name of its own, so that its relative imports work."""
    source = read_source(folder)
    place = {**source, "": str(folder).encode()}  # an edited app is another module, and so is a copy of one
    alias = f"yarnml_private_{digest(place)[:16]}"
    with _said(name, folder):
        if alias not in sys.modules:
            _import_package(alias, folder)
        module = importlib.import_module(f"{alias}.app")
    return _app(name, ref, sys.modules[alias], module, source, private=True)


def digest(source: dict[str, bytes]) -> str:
    """sha256 of an app's source."""
    whole = sha256()
    for name, text in sorted(source.items()):
        whole.update(f"{name}\0{len(text)}\0".encode() + text)
    return whole.hexdigest()


def read_source(folder: Path) -> dict[str, bytes]:
    """The Python files below `folder`, by name."""
    files = (file for file in sorted(folder.rglob("*.py")) if "__pycache__" not in file.parts)
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def _by_path(folder: Path) -> App:
    if not (folder / "app.py").is_file():
        raise UsageError(f"no app in {folder}: the folder of an app holds app.py")
    return load_private(folder.name, str(folder), folder)


@contextmanager
def _said(name: str, folder: Path) -> Iterator[None]:
    """What keeps an app from being imported, as UsageError with its own file and line, where it is found."""
    try:
        yield
    except YarnmlError:
        raise
    except (Exception, SystemExit) as error:  # whatever its author's code raises
        frames = [frame for frame in extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(folder)]
        file, line = (frames[-1].filename, frames[-1].lineno) if frames else (str(folder / "app.py"), None)
        if isinstance(error, SyntaxError):
            file, line = error.filename or file, error.lineno
        what = " ".join((error.msg if isinstance(error, SyntaxError) else str(error)).split())
        where = file if line is None else f"{file}:{line}"
        raise UsageError(f"app {name} can't be imported: {where}: {type(error).__name__}: {what}") from error


def _import_package(alias: str, folder: Path) -> None:
    """Make `folder` the package `alias`; a missing __init__.py counts as an empty one."""
    init = folder / "__init__.py"
    if not init.is_file():
        sys.modules[alias] = package = ModuleType(alias)
        package.__path__ = [str(folder)]
        return
    spec = importlib.util.spec_from_file_location(alias, init, submodule_search_locations=[str(folder)])
    assert spec is not None
    assert spec.loader is not None
    sys.modules[alias] = package = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(package)
    except BaseException:
        del sys.modules[alias]  # half a package is none
        raise


def _app(name: str, ref: str, package: ModuleType, module: ModuleType, source: dict[str, bytes], private: bool) -> App:
    about = (package.__doc__ or module.__doc__ or "").strip().partition("\n")[0]
    version = getattr(package, "__version__", None) or (
        "" if private else importlib.import_module("yarnml").__version__
    )
    return App.of(
        module, name=name, ref=ref, about=about, version=version, source=source, code=digest(source), private=private
    )
