"""Imported: a function of the user's own, by its import path."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from yarnml.errors import UsageError
from yarnml.ps.functions.function import Function


def imported(path: str, arguments: Mapping[str, Any] | str = "{}") -> Function:
    """The function that "package.module:Class" makes of its arguments, an object of JSON or its text.

    Every process imports and makes it again; nothing is unpickled. Raises UsageError for what can't be imported, isn't
    a Function or doesn't take these arguments, so that a run's plan is where it shows.
    """
    said = f"function {path!r}"
    module, _, name = path.partition(":")
    if not module or not name.isidentifier():
        raise UsageError(f'{said}: say it as "package.module:Class"')
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, SyntaxError) as error:
        raise UsageError(f"{said} can't be imported: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Function)):
        raise UsageError(f"{said} is no class derived from yarnml.ps.Function")
    try:
        made = found(**_object(arguments))
    except (TypeError, ValueError) as error:
        raise UsageError(f"{said} with arguments {arguments}: {error}") from error
    return made


def _object(arguments: Mapping[str, Any] | str) -> dict[str, Any]:
    """The arguments as they come out of JSON, whichever way they were said."""
    text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments))
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("they must be an object of JSON, {...}")  # noqa: TRY004 (said with the others)
    return found
