"""Plain: what a worker reports and hands in, as any process can read it; checked where it was said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from yarnml.errors import UsageError


def plain_numbers(said: Mapping[str, Any]) -> dict[str, float]:
    """Python's own numbers; raises UsageError naming the first that is none."""
    numbers = {name: _scalar(value) for name, value in said.items()}
    for name, value in numbers.items():
        if not isinstance(value, int | float):
            raise UsageError(f"report({name}={_short(value)}) is a {type(value).__name__}; only numbers are reported")
    return numbers


def plain_result(result: Any, where: str = "result") -> Any:
    """`result` with Python's own values, which JSON can hold; raises UsageError with the place of one that it can't."""
    value = _scalar(result)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise UsageError(f"{where} has the key {_short(key)}, a {type(key).__name__}; keys must be texts")
        return {key: plain_result(inner, f"{where}[{key!r}]") for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain_result(inner, f"{where}[{i}]") for i, inner in enumerate(value)]
    if value is None or isinstance(value, str | int | float):
        return value
    raise UsageError(
        f"{where} = {_short(value)} is a {type(value).__name__}; what work returns must be numbers, texts, lists and "
        f"dicts (arrays belong in the model)"
    )


def _scalar(value: Any) -> Any:
    """numpy's scalars, and its arrays without an axis, as Python's."""
    return value.item() if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0 else value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
