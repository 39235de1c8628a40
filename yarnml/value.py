"""A value and the type that a config's field wants of it, whether it came as text, from YAML, or from Python."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from math import inf
from numbers import Integral, Real
from os import PathLike, fspath
from typing import Annotated, Any, Literal, Union, final, get_args, get_origin


@final
@dataclass(frozen=True, kw_only=True)
class Range:
    """What a number, never an infinite one, must satisfy, for `Annotated[float, Range(above=0)]`."""

    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None

    def holds(self, x: float) -> bool:
        return (
            -inf < x < inf
            and (self.at_least is None or x >= self.at_least)
            and (self.above is None or x > self.above)
            and (self.at_most is None or x <= self.at_most)
            and (self.below is None or x < self.below)
        )

    def __str__(self) -> str:
        limits = [(f.name.replace("_", " "), getattr(self, f.name)) for f in fields(self)]
        return " and ".join(f"{name} {limit:g}" for name, limit in limits if limit is not None)


@final
@dataclass(frozen=True)
class Word:
    """What --help shows for a value of this type."""

    word: str


SHOWN = 200  # characters of a wrong value that an error repeats
Count = Annotated[int, Range(at_least=1)]
Whole = Annotated[int, Range(at_least=0)]
Positive = Annotated[float, Range(above=0)]
NonNegative = Annotated[float, Range(at_least=0)]
Fraction = Annotated[float, Range(above=0, below=1), Word("FRACTION")]
Url = Annotated[str, Word("URL")]


@final
@dataclass(frozen=True)
class Option:
    """One of the types that a field allows, and the ranges a number of it must lie in."""

    base: Any
    ranges: tuple[Range, ...] = ()
    word: str | None = None  # what --help shows, if not what it shows for `base`

    def take(self, value: Any) -> Any:
        """`value` as this type; ValueError if it isn't one."""
        taken = _take(value, self.base)
        if not all(bound.holds(taken) for bound in self.ranges):
            raise ValueError
        return taken

    @property
    def expected(self) -> str:
        return " ".join([_expected(self.base), *map(str, self.ranges)])


def options(hint: Any, ranges: tuple[Range, ...] = (), word: str | None = None) -> tuple[Option, ...]:
    """The types of `int | None`, of `Annotated[int, Range(...)] | None`, or the one type of `int`."""
    args = get_args(hint)
    if get_origin(hint) is Annotated:
        word = next((said.word for said in args[1:] if isinstance(said, Word)), word)
        return options(args[0], ranges + tuple(r for r in args[1:] if isinstance(r, Range)), word)
    if get_origin(hint) in (Union, types.UnionType):
        return tuple(option for arg in args for option in options(arg, ranges, word))
    return (Option(hint),) if hint is type(None) else (Option(hint, ranges, word),)


def convert(value: Any, hint: Any) -> Any:
    """`value` as `hint` wants it; ValueError says what was expected and what came."""
    if isinstance(value, str) and value.lower() == "none" and type(None) in (option.base for option in options(hint)):
        return None  # as on the command line, where there is no other way to say it
    # The type it already has comes first: "0.2" of `str | float` is the name of a file.
    for option in sorted(options(hint), key=lambda option: option.base is not type(value)):
        try:
            return option.take(value)
        except ValueError:
            continue
    raise ValueError(f"expected {expected(hint)}, got {_brief(value)}")


def _brief(value: Any) -> str:
    """What came, in one line of an error; of large things, such as tables, only what they are."""
    said = repr(value)
    return said if len(said) <= SHOWN and "\n" not in said else f"a {type(value).__name__}"


def read(texts: Sequence[str], hint: Any) -> Any:
    """The value that the words after a flag stand for; ValueError says what was expected."""
    several = repeated(hint)
    if several is not None and (several is hint or list(texts) != ["none"]):
        return tuple(read([text], item) for text, item in zip(texts, _items(several, len(texts)), strict=True))
    for candidate in _candidates(texts[0]):
        try:
            return convert(candidate, hint)
        except ValueError:
            continue
    raise ValueError(f"expected {expected(hint)}, got {texts[0]!r}")


def repeated(hint: Any) -> Any | None:
    """The tuple type among what `hint` allows: its flag takes several words."""
    return next((option.base for option in options(hint) if get_origin(option.base) is tuple), None)


def known(hint: Any) -> bool:
    """Whether a flag can be made of this type."""
    bases = [option.base for option in options(hint)]
    return all(base in _WORDS or get_origin(base) in (tuple, Literal) for base in bases)


def expected(hint: Any) -> str:
    """What `hint` allows, in words."""
    return " or ".join(option.expected for option in options(hint))


def metavar(hint: Any) -> str:
    """What `hint` allows, as --help shows it."""
    found = options(hint)
    words = [option.word for option in found if option.word is not None]
    if words:
        return "|".join(words)
    bases = [option.base for option in found]
    if str in bases:
        return _WORDS[str][1]  # text stands for all else
    several = repeated(hint)
    return _metavar(several) if several else "|".join(map(_metavar, bases))


def _take(value: Any, base: Any) -> Any:
    if get_origin(base) is tuple:
        return _take_tuple(value, base)
    if get_origin(base) is Literal and any(value == arg and type(value) is type(arg) for arg in get_args(base)):
        return value
    if base is int and isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)  # numpy's integers too
    if base is float and isinstance(value, Real | str) and not isinstance(value, bool):
        return float(value)  # of text too, since YAML reads 1e-3 as text
    if base is str and isinstance(value, PathLike):
        return fspath(value)
    if type(value) is base:
        return value
    raise ValueError


def _take_tuple(value: Any, base: Any) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError  # noqa: TRY004 - every refusal here is one
    return tuple(convert(v, item) for v, item in zip(value, _items(base, len(value)), strict=True))


def _items(base: Any, count: int) -> tuple[Any, ...]:
    """The types in a tuple of `count`."""
    args = get_args(base)
    items = args[:1] * count if args[-1] is Ellipsis else args
    if len(items) != count:
        raise ValueError(f"expected {expected(base)}, got {count}")
    return items


def _candidates(text: str) -> Iterator[Any]:
    words: dict[str, bool | None] = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        yield words[text.lower()]
    for kind in (int, float):
        try:
            yield kind(text)
        except ValueError:
            continue
    yield text


def _expected(base: Any) -> str:
    if get_origin(base) is Literal:
        return "one of " + ", ".join(map(str, get_args(base)))
    if get_origin(base) is tuple:
        return f"a list of {' and '.join(expected(arg) for arg in get_args(base) if arg is not Ellipsis)}"
    return _WORDS[base][0] if base in _WORDS else str(base)


def _metavar(base: Any) -> str:
    if get_origin(base) is Literal:
        return "|".join(map(str, get_args(base)))
    if get_origin(base) is tuple:
        one = [metavar(arg) for arg in get_args(base) if arg is not Ellipsis]
        return " ".join([*one, "..."] if get_args(base)[-1] is Ellipsis else one)
    return _WORDS[base][1] if base in _WORDS else str(base)


_WORDS: dict[Any, tuple[str, str]] = {
    int: ("a whole number", "INT"),
    float: ("a number", "FLOAT"),
    str: ("text", "TEXT"),
    bool: ("true or false", "BOOL"),
    type(None): ("none", "none"),
}
