"""A record: what run.json holds of a run: what was asked, by which versions, when, and how it ended."""

from __future__ import annotations

import json
import platform
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal, Self, final

State = Literal["running", "succeeded", "failed", "killed", "interrupted", "deadline", "lost"]
VERSIONS = ("yarnml", "numpy", "numba", "scipy", "pyarrow", "pyzmq")


@final
@dataclass(frozen=True, kw_only=True)
class Record:
    """Written at a run's start and again at its end, each time whole."""

    run: str
    app: str
    state: State
    started: float  # seconds since 1970
    ended: float | None = None
    host: str  # where the driver runs
    pid: int
    job: dict[str, Any]
    versions: dict[str, str]
    result: dict[str, Any] = field(default_factory=dict)
    application: str = ""  # on YARN, its name there
    message: str = ""  # why it ended as it did, unless it succeeded

    @property
    def seconds(self) -> float | None:
        return None if self.ended is None else self.ended - self.started

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Raises ValueError for a text that is no record."""
        found = json.loads(text)
        wanted = {"run": str, "app": str, "state": str, "started": float | int, "host": str, "pid": int, "job": dict}
        for name, kind in wanted.items():
            if not isinstance(found, dict) or not isinstance(found.get(name), kind):
                raise ValueError(f"it doesn't say {name!r}")  # noqa: TRY004 (one kind for all that is wrong with a text)
        return cls(**{"versions": {}, **{f.name: found[f.name] for f in fields(cls) if f.name in found}})


def versions() -> dict[str, str]:
    """Of Python and the packages that results may depend on."""
    found = {"python": platform.python_version()}
    for name in VERSIONS:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
