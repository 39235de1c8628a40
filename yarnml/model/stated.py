"""Stated: whether what JSON says is what a type wants, and where it is not."""

from __future__ import annotations

from dataclasses import is_dataclass
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from yarnml.config import hints, required
from yarnml.errors import nearest

SHOWN = 100  # characters of a wrong value that an error repeats
WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", NoneType: "null"}


def fault(where: str, value: Any, hint: Any) -> str:
    """What is wrong with `value`, from JSON, by the field's name; "" if it is as `hint` says.

    A dataclass is an object of its fields, a tuple a list; fields that have a default may be left out.
    """
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return fault(where, value, args[0])
    if origin in (Union, UnionType):
        faults = [fault(where, value, arg) for arg in args]
        inner = [said for said in faults if said and not said.startswith(f"{where} is ")]  # deeper says more
        return "" if "" in faults else next(iter(inner), _is(where, value, hint))
    if is_dataclass(hint):
        return _of_fields(where, value, hint)
    if origin in (tuple, list) and isinstance(value, list):
        return next((said for k, each in enumerate(value) if (said := fault(f"{where}[{k}]", each, args[0]))), "")
    if origin is dict and isinstance(value, dict):
        return next((said for k, each in value.items() if (said := fault(f"{where}.{k}", each, args[1]))), "")
    return "" if _is_plain(value, hint) else _is(where, value, hint)


def _of_fields(where: str, value: Any, cls: Any) -> str:
    if not isinstance(value, dict):
        return _is(where, value, cls)
    known = hints(cls)
    for name in required(cls):
        if name not in value:
            return f"{where} lacks {name!r}"
    for name, each in value.items():
        if name not in known:
            return f"{where} has an unknown field {name!r}{nearest(name, known)}"
        if said := fault(f"{where}.{name}", each, known[name]):
            return said
    return ""


def _is_plain(value: Any, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if hint is Any:
        return True
    if hint in (int, float):
        number = isinstance(value, int | float if hint is float else int) and not isinstance(value, bool)
        return number and isfinite(value)
    return hint in (str, bool, NoneType) and isinstance(value, hint)


def _is(where: str, value: Any, hint: Any) -> str:
    said = repr(value)
    return f"{where} is {said if len(said) <= SHOWN else 'a ' + type(value).__name__}, and should be {_wanted(hint)}"


def _wanted(hint: Any) -> str:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _wanted(args[0])
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_wanted, args)))
    if origin is Literal:
        return f"one of {', '.join(map(repr, args))}"
    if origin in (tuple, list):
        return f"a list, each {_wanted(args[0])}"
    return WORDS.get(hint, "a JSON object")
