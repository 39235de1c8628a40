"""Machine learning at cluster scale, in Python, on the Hadoop cluster a company already has."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yarnml.api import load as load
    from yarnml.api import run as run
    from yarnml.api import submit as submit

__version__ = "0.1.0"
__all__ = ["__version__", "load", "run", "submit"]


def __getattr__(name: str) -> Any:
    """`yarnml.run` and `yarnml.load`, imported when first used: a container that runs one role needs no launcher."""
    if name in ("run", "submit", "load"):
        return getattr(import_module("yarnml.api"), name)
    raise AttributeError(f"module 'yarnml' has no attribute {name!r}")


def __dir__() -> list[str]:
    """With what isn't imported yet, for whoever completes names."""
    return [*globals(), *__all__]
