"""An app's config: flags, help, YAML and validation all come from one frozen dataclass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any, TypeVar, get_type_hints

from yarnml.errors import UsageError, nearest
from yarnml.value import Count, Fraction, NonNegative, Positive, Range, Whole, convert

__all__ = [
    "AppConfig",
    "Count",
    "Fraction",
    "NonNegative",
    "Positive",
    "Range",
    "Whole",
    "config_from_dict",
    "config_to_dict",
    "flag",
    "hints",
    "read_yaml",
    "refuse_reserved",
]

T = TypeVar("T")

# `yarnml submit` has flags that `yarnml run` doesn't; an app's flags must not be in the way of either.
SIZES = {f"{role}_{size}" for role in ("worker", "server", "scheduler") for size in ("memory", "vcores")}
SHIPPED = {"env", "py_files", "files", "requirements"}
SUBMIT_FLAGS = {"app", "help", "queue", "node_label", "tags", "detach", *SIZES, *SHIPPED}


@dataclass(frozen=True, kw_only=True)
class AppConfig:
    # A comment, not a docstring, which --help would show: what an app lets its user choose, one line a field:
    # `name: type = default  # help`. A value of the wrong type or outside its `Range` is a UsageError, whether it
    # came from a flag, a YAML file, Python, or the record of an earlier run.
    def __post_init__(self) -> None:
        for name, hint in hints(type(self)).items():
            # 1 where a float is meant becomes 1.0; frozen means frozen for everybody else
            object.__setattr__(self, name, _convert(flag(name), getattr(self, name), hint))


def config_from_dict(cls: type[T], values: Mapping[str, Any], where: str = "config") -> T:
    """Build a config from plain values; UsageError names `where`, the key, and what was expected."""
    known = hints(cls)
    for key in values:
        if key not in known:
            raise UsageError(f"{where}: unknown key {key!r}{nearest(key, known)}")
    for name in required(cls):
        if name not in values:
            raise UsageError(f"{where}: {name!r} is needed and not said; say it with {flag(name)}")
    return cls(**{key: _convert(f"{where}: {key}", value, known[key]) for key, value in values.items()})


def config_to_dict(config: Any) -> dict[str, Any]:
    """A config as plain values, for JSON and YAML, from which `config_from_dict` builds it again."""
    values = {f.name: getattr(config, f.name) for f in fields(config)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def read_yaml(url: str) -> dict[str, Any]:
    """The keys and values of a --config file, `batch-size` read as `batch_size`; UsageError if it has another form."""
    import yaml  # most commands read no file, and --help should be quick

    from hdfs_io import read_text

    try:
        text = read_text(url)
        values = yaml.safe_load(text) or {}
        _refuse_twice(url, yaml.compose(text, yaml.SafeLoader))
    except OSError as error:
        raise UsageError(f"--config {url}: can't be read: {error}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"--config {url}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict):
        raise UsageError(f"--config {url}: expected lines like `epochs: 5`, got {values!r:.60}")
    return {str(key).replace("-", "_"): value for key, value in values.items()}


def _refuse_twice(url: str, node: Any) -> None:
    """UsageError for a key that is there twice, of which YAML would take the last without a word."""
    seen: dict[str, int] = {}
    for key, _ in node.value if node is not None and node.id == "mapping" else ():
        name, line = str(key.value).replace("-", "_"), key.start_mark.line + 1
        if name in seen:
            raise UsageError(f"--config {url}: {key.value!r} is said twice, in lines {seen[name]} and {line}")
        seen[name] = line


def refuse_reserved(app: str, config: type, reserved: Iterable[str]) -> None:
    """Raise UsageError if an app's Config reuses the name of one of yarnml's own flags."""
    for name in sorted(hints(config).keys() & {*reserved, *SUBMIT_FLAGS}):
        raise UsageError(f"app {app}: its Config has {name!r}, but {flag(name)} is a flag of yarnml itself; rename it")


def flag(name: str) -> str:
    """`batch_size` as it is written on the command line."""
    return "--" + name.replace("_", "-")


def typed(name: str, value: Any) -> str:
    """A flag and its value, as they would be typed."""
    if isinstance(value, bool):
        return flag(name) if value else f"{flag(name)} false"
    if isinstance(value, list | tuple):
        return " ".join([flag(name), *map(str, value)])
    return f"{flag(name)} {'none' if value is None else value}"


def required(cls: Any) -> list[str]:
    """The fields that have no default."""
    return [f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING]


def hints(cls: Any) -> dict[str, Any]:
    """Each field's name and type, `Annotated` kept."""
    return _hints(cls)


@cache
def _hints(cls: Any) -> dict[str, Any]:
    every = get_type_hints(cls, include_extras=True)
    return {f.name: every[f.name] for f in fields(cls)}


def _convert(where: str, value: Any, hint: Any) -> Any:
    try:
        return convert(value, hint)
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from None
