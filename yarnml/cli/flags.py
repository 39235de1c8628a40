"""Flags: tyro's, with what it lacks: YAML files, `none`, and errors of one line."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import make_dataclass
from typing import Any

from yarnml.config import config_from_dict, flag, hints, read_yaml
from yarnml.errors import UsageError, nearest
from yarnml.value import known, metavar, options, read, repeated

YES_OR_NO = ("true", "false", "none")


def parse(prog: str, description: str, groups: Mapping[str, type], args: Sequence[str]) -> dict[str, Any]:
    """Fill the dataclasses of `groups` from the command line; each is shown under its name in --help.

    Where one of them has a field `config`, the YAML file named by `--config` is read first and what the command line
    says beats it. Raises UsageError, or SystemExit(0) after --help.
    """
    import tyro  # here, since `yarnml --help` and `yarnml runs` can do without

    names = {name for group in groups.values() for name in hints(group)}
    words = [*_words_of_file(args, groups), *_spelled_out(args, groups)]
    whole = make_dataclass(prog.replace(" ", "_"), list(groups.items()), kw_only=True)
    said = io.StringIO()
    filled: Any
    try:
        with contextlib.redirect_stderr(said):
            filled, unknown = tyro.cli(
                whole,
                prog=prog,
                description=description,
                args=words,
                return_unknown_args=True,
                config=(tyro.conf.OmitArgPrefixes, tyro.conf.PositionalMetavarFromFieldName),
                registry=_registry(),
            )
    except SystemExit as stop:
        if stop.code:
            raise UsageError(f"{_plain(said.getvalue())} (all flags: {prog} --help)") from None
        raise
    _refuse(prog, unknown, names)
    return {name: getattr(filled, name) for name in groups}


def said(args: Sequence[str], groups: Mapping[str, type]) -> set[str]:
    """The names of the flags that the line and the --config file say."""
    words = [*_words_of_file(args, groups), *_spelled_out(args, groups)]
    flags = (word.partition("=")[0].removeprefix("--").replace("-", "_") for word in words if word.startswith("--"))
    names = {name for group in groups.values() for name in hints(group)}
    return {name if name in names else name.removeprefix("no_") for name in flags}


def _words_of_file(args: Sequence[str], groups: Mapping[str, type]) -> list[str]:
    """What the --config file says, checked and put as words of the command line."""
    url = value_of("--config", args)
    if url is None or not any("config" in hints(group) for group in groups.values()):
        return []
    values = read_yaml(url)
    may = {name: hint for group in groups.values() for name, hint in hints(group).items() if name != "config"}
    # Checked here and not by tyro, whose error would name a flag that nobody typed.
    holder = make_dataclass("File", [(name, hint, None) for name, hint in may.items()], kw_only=True)
    checked: Any = config_from_dict(holder, values, f"--config {url}")
    return [word for name in values for word in _words(name, getattr(checked, name), may[name])]


def _spelled_out(args: Sequence[str], groups: Mapping[str, type]) -> list[str]:
    """Flags of yes or no in the one way that tyro reads, however they are written.

    `--json`, `--json true` and `--json=true`; where a choice may also be left open, `--header`, `--no-header`,
    `--header false` and `--header none` become `--header=...`.
    """
    every = {flag(name): hint for group in groups.values() for name, hint in hints(group).items()}
    spelled, rest = list[str](), list(args)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        name = name.replace("_", "-")
        negated = flag(name.removeprefix("--no-")) if name.startswith("--no-") and not equals else ""
        if every.get(name) in (bool, bool | None):
            if not equals:
                value = rest.pop(0) if rest and rest[0].lower() in YES_OR_NO else "true"
            spelled.append(_yes_or_no(name, value.lower(), every[name]))
        elif every.get(negated) == bool | None:
            spelled.append(_yes_or_no(negated, "false", every[negated]))
        else:
            spelled.append(word)
    return spelled


def _yes_or_no(name: str, value: str, hint: Any) -> str:
    if hint == bool | None:
        return f"{name}={value}"
    if value not in ("true", "false"):
        raise UsageError(f"{name}: expected true or false, got {value!r}")
    return name if value == "true" else flag(f"no_{name.removeprefix('--')}")


def _words(name: str, value: Any, hint: Any) -> list[str]:
    if hint is bool:
        return [flag(name) if value else flag(f"no_{name}")]
    if isinstance(value, tuple):
        return [flag(name), *map(str, value)]
    return [f"{flag(name)}={'none' if value is None else value}"]


def value_of(name: str, args: Sequence[str]) -> str | None:
    """The last value of one flag, read ahead of the parser."""
    found = None
    for i, word in enumerate(args):
        if word == name and i + 1 < len(args):
            found = args[i + 1]
        elif word.startswith(f"{name}="):
            found = word.partition("=")[2]
    return found


def _refuse(prog: str, unknown: Sequence[str], names: Iterable[str]) -> None:
    for word in unknown:
        name = word.partition("=")[0]
        if name.startswith("-"):
            raise UsageError(f"unknown flag {name}{nearest(name.replace('_', '-'), map(flag, names))}")
    if unknown:
        raise UsageError(f"unexpected {unknown[0]!r} (all flags: {prog} --help)")


def _registry() -> Any:
    """Rules that let tyro read, check and show a field's value as the rest of yarnml does."""
    from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

    registry = ConstructorRegistry()

    @registry.primitive_rule
    def ours(info: PrimitiveTypeInfo) -> PrimitiveConstructorSpec[Any] | None:
        hint = info.type
        if hint is bool or not known(hint):
            return None  # tyro's: --flag/--no-flag, a dataclass
        return PrimitiveConstructorSpec(
            nargs="*" if repeated(hint) else 1,
            metavar=metavar(hint),
            instance_from_str=lambda texts: read(texts, hint),
            is_instance=lambda value: any(isinstance(value, o.base) for o in options(hint) if isinstance(o.base, type)),
            str_from_instance=lambda value: (
                [str(v) for v in value] if isinstance(value, tuple) else ["none" if value is None else str(value)]
            ),
        )

    return registry


def _plain(box: str) -> str:
    """The message inside the box that tyro draws around an error, on one line."""
    lines = [line.strip("│|").strip() for line in box.splitlines()]
    body = []
    for line in lines[1:]:
        if line.startswith(("─", "-", "╰", "+")) and not line.strip("─-╰╯+"):
            break
        body.append(line)
    message = " ".join(" ".join(body).split()).removeprefix("Error parsing ")
    message = re.sub(r"^Missing from [^:]*: (.*) \(required\)$", r"needed and not said: \1", message)
    return re.sub(r"argument '\w+\.(\w+)'", r"\1", message) or box.strip()
