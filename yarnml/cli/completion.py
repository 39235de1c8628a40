"""`yarnml completion bash|zsh`: a script for the shell, which asks this file again what may come next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from yarnml.config import flag, hints
from yarnml.errors import UsageError, nearest

BASH = """\
# yarnml: tab completion. In ~/.bashrc:  eval "$(yarnml completion bash)"
_yarnml() {
    local IFS=$'\\n'
    COMPREPLY=($(yarnml completion words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _yarnml yarnml
"""

ZSH = """\
# yarnml: tab completion. In ~/.zshrc, after compinit:  eval "$(yarnml completion zsh)"
_yarnml() {
    local -a found
    found=(${(f)"$(yarnml completion words "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#found )); then compadd -a found; else _files; fi
}
compdef _yarnml yarnml
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH}
HELP = "usage: yarnml completion bash|zsh      prints a script; eval it in the shell's start file\n"


def main(args: Sequence[str]) -> int:
    if not args or args[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0 if args else 2
    if args[0] == "words":
        print("\n".join(words(args[1:])))
        return 0
    if args[0] not in SCRIPTS:
        raise UsageError(f"no completion for {args[0]!r}{nearest(args[0], SCRIPTS)}")
    print(SCRIPTS[args[0]], end="")
    return 0


def words(typed: Sequence[str]) -> list[str]:
    """What the last of `typed` (the words after `yarnml`) may become; nothing where a file's name is wanted."""
    *before, last = typed or [""]
    return [word for word in _candidates(before, last) if word.startswith(last)]


def _candidates(before: Sequence[str], last: str) -> list[str]:
    from yarnml.cli import COMMANDS

    if not before:
        return [*COMMANDS, "--help", "--version"]
    command, *rest = before
    if command in ("run", "submit"):
        return _of_run(command, rest, last)
    if command == "predict" and rest:
        return _of_run("run", ["predict", *rest[1:]], last)
    if command == "cluster" and rest:
        return _of_cluster(rest[0], last)
    if command == "plot" or (command in ("status", "logs", "kill") and not rest):
        return _run_ids()
    fixed = {
        "apps": _apps(),
        "data": ["copy", "convert", "head", "describe"],
        "cluster": ["up", "down", "status", "env"],
        "env": ["list", "clean"],
        "completion": sorted(SCRIPTS),
    }
    if command == "bench" and not rest:
        from yarnml.bench.runner import names

        return names()
    return fixed.get(command, []) if not rest else []


def _of_run(command: str, rest: Sequence[str], last: str) -> list[str]:
    if rest and rest[-1] == "--resume":
        return _run_ids()
    if not rest:
        return [*_apps(), "--resume"] if last.startswith("-") else _apps()
    if last.startswith("-"):
        return list(_flags(rest[0], command))
    return _choices(_flags(rest[0], command).get(rest[-1]))


def _of_cluster(name: str, last: str) -> list[str]:
    from yarnml.cli.cluster import FLAGS

    return [flag(field) for field in hints(FLAGS[name])] if name in FLAGS and last.startswith("-") else []


def _apps() -> list[str]:
    from yarnml.cli.catalog import folders

    return sorted(folders())


def _flags(app: str, command: str) -> dict[str, Any]:
    """The flags of an app, by name or path, and yarnml's own with their types."""
    from yarnml.cli.catalog import fields, folders
    from yarnml.request import GROUPS, GROUPS_ON_YARN

    groups = GROUPS_ON_YARN if command == "submit" else GROUPS
    folder = folders().get(app, Path(app))
    own = dict.fromkeys(fields(folder) if (folder / "app.py").is_file() else [])
    ours = {name: hint for group in groups.values() for name, hint in hints(group).items()}
    return {flag(name): hint for name, hint in (own | ours).items()}


def _choices(hint: Any) -> list[str]:
    """The words that a flag of this type takes, where these are few."""
    from yarnml.value import options

    return [word for option in options(hint) if get_origin(option.base) is Literal for word in get_args(option.base)]


def _run_ids() -> list[str]:
    from yarnml.runs import all_runs, default_runs

    return [run.id for run in all_runs(default_runs())]
