"""The catalog of apps, read off their source without importing any: quick enough for tab completion."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "yarnml_apps"


def folders() -> dict[str, Path]:
    """Name -> folder of every app that is for people; the names of others begin with _."""
    spec = find_spec(PACKAGE)
    places = (spec.submodule_search_locations or []) if spec is not None else []
    return {file.parent.name: file.parent for place in places for file in sorted(Path(place).glob("[!_]*/app.py"))}


def fields(folder: Path) -> list[str]:
    """The names in an app's Config."""
    body = ast.parse((folder / "app.py").read_text(encoding="utf-8")).body
    config = next((node for node in body if isinstance(node, ast.ClassDef) and node.name == "Config"), None)
    lines = [] if config is None else config.body
    return [line.target.id for line in lines if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)]


def sentence(folder: Path) -> str:
    """What an app says of itself in one line."""
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]
