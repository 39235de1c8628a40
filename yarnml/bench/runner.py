"""The runner: finds a bench by its file, runs it, and shows its rows."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from importlib import import_module
from inspect import signature
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yarnml.errors import UsageError, nearest

if TYPE_CHECKING:
    from yarnml.bench.row import Row


def names() -> list[str]:
    """The benches, sorted."""
    return list(sentences())


def sentences() -> dict[str, str]:
    """What each bench says of itself in one line, by name: every file of this folder that defines `run(quick)` is one.

    Read off the source, as importing a bench may need its peers.
    """
    folder = Path(__file__).parent
    sources = {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("[!_]*.py"))}
    docs = {name: ast.get_docstring(ast.parse(text)) for name, text in sources.items() if "\ndef run(quick" in text}
    return {name: (doc or "").partition("\n")[0] for name, doc in docs.items()}


def run(name: str, *, quick: bool, peers: str | None = None) -> list[Row]:
    """Run a bench; `quick`: on less, for a look; `peers`: the Python that has the peers, where these are processes.

    UsageError names the near ones if there is none of that name.
    """
    if name not in names():
        raise UsageError(f"no bench {name!r}{nearest(name, names())}")
    bench = import_module(f"yarnml.bench.{name}").run
    if peers is not None and "peers" not in signature(bench).parameters:
        raise UsageError(f"--peers {peers}: the peers of bench {name} are measured by this Python; leave it out")
    rows: list[Row] = bench(quick) if peers is None else bench(quick, peers)
    return rows


def as_json(name: str, rows: Sequence[Row]) -> str:
    """One line: {"bench", "rows": [{"name", "ours", "peer", "ratio", "aim", "holds"}]}; null for what has no figure."""
    keys = ("name", "ours", "peer", "ratio", "aim", "holds")
    return json.dumps({"bench": name, "rows": [{key: _told(getattr(row, key)) for key in keys} for row in rows]})


def as_table(rows: Sequence[Row]) -> str:
    """Aligned columns; a peer that isn't installed is said to be missing."""
    cells = [["", "ours", "peer", "ratio", "aim", "holds"]]
    for row in rows:
        peer = "missing" if row.peer is None else _shown(row.peer)
        cells.append([row.name, _shown(row.ours), peer, _shown(row.ratio), _shown(row.aim), _shown(row.holds)])
    wide = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    return "\n".join(
        "  ".join([f"{line[0]:<{wide[0]}}", *(f"{cell:>{w}}" for cell, w in zip(line[1:], wide[1:], strict=True))])
        for line in cells
    )


def _told(value: Any) -> Any:
    """JSON has no word for inf, which is that of a trial that came to no end."""
    return None if isinstance(value, float) and not isfinite(value) else value


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, int | float):
        return f"{value:.4g}"
    return "-" if value is None else str(value)
