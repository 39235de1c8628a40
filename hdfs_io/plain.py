"""Plain: dataclasses as values that JSON holds, and back by the types of their fields: exactly what they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Dicts, lists, text and numbers. JSON as Python writes it keeps nan, infinities and whole numbers of any size."""
    if is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {name: to_plain(one) for name, one in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [to_plain(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def of_plain(kind: type[T], value: Any) -> T:
    """The dataclass of this type that `to_plain` made `value` of."""
    made: T = _back(kind, value)
    return made


def _back(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if is_dataclass(kind):
        assert isinstance(kind, type)
        kinds = _kinds(kind)
        return kind(**{name: _back(kinds[name], one) for name, one in value.items()})
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        some = [one for one in inner if one is not NoneType]
        return _back(some[0], value) if len(some) == 1 else value
    if origin is tuple:
        kinds_of = [inner[0]] * len(value) if inner[1:] == (...,) else inner
        return tuple(map(_back, kinds_of, value))
    if origin is frozenset:
        return frozenset(value)
    if origin in (Mapping, dict):
        return {name: _back(inner[1], one) for name, one in value.items()}
    return value


@cache
def _kinds(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)
