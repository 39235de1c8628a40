"""`yarnml apps [NAME]`: the apps there are, or all that one says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from yarnml.cli.catalog import folders, sentence
from yarnml.cli.flags import parse
from yarnml.cli.plan import shown


@dataclass(frozen=True, kw_only=True)
class Args:
    name: Annotated[str | None, Positional] = None  # an app's name, or the path of its folder


def main(args: Sequence[str]) -> int:
    name = parse("yarnml apps", "The algorithms there are, or what one of them is.", {"apps": Args}, args)["apps"].name
    print(_table() if name is None else _one(name))
    return 0


def _table() -> str:
    found = {name: sentence(folder) for name, folder in folders().items()}
    wide = max(map(len, found), default=0)
    return "\n".join(f"{name:<{wide}}  {about}" for name, about in found.items())


def _one(name: str) -> str:
    from yarnml.app import load_app
    from yarnml.config import config_to_dict, flag, required

    app = load_app(name)
    folder = folders().get(name, Path(app.ref))
    readme = folder / "README.md"
    lines = [f"{app.name}: {app.about}", f"in {folder}", ""]
    lines.append(f"task: {app.task.name if app.task else 'none'}; demo data: {'yes' if app.demo else 'no'}")
    needed = required(app.Config)
    others = {} if needed else config_to_dict(app.Config())
    flags = [flag(key) for key in needed] + [f"{flag(key)} {shown(value)}" for key, value in others.items()]
    lines += [f"flags: {'  '.join(flags)}", f"       (yarnml run {name} --help explains them)"]
    if readme.is_file():
        lines += ["", readme.read_text(encoding="utf-8").rstrip()]
    return "\n".join(lines)
