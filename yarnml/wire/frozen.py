"""Frozen: dataclasses that are made in great number, which the type checker alone keeps from being changed.

A dataclass that keeps itself from it takes three times as long to make, six times as long by position: more than half
of what a small message costs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def frozen(*, kw_only: bool = False) -> Callable[[type[T]], type[T]]:
    """A class decorator: a dataclass with slots, frozen to mypy."""
    return dataclass(slots=True, kw_only=kw_only)
