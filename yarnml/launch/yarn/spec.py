"""A spec: what the containers of one run are told beside the job."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from typing import Self

from yarnml.errors import UsageError
from yarnml.launch.yarn.homes import Home
from yarnml.launch.yarn.memory import megabytes
from yarnml.request import OnYarn

OURS = ("HOME", "TMPDIR", "LANG", "LC_ALL", "HADOOP_CONF_DIR")  # variables that every container gets from us


@dataclass(frozen=True)
class Size:
    """Of one container."""

    mb: int
    vcores: int


@dataclass(frozen=True)
class Service:
    """All containers of one role."""

    role: str
    instances: int
    size: Size


@dataclass(frozen=True, kw_only=True)
class Spec:
    """Travels with the job as a file that only the user can read."""

    limits: dict[str, int]  # role -> MiB of its containers
    start_timeout: float  # seconds for all to be there
    queue: str
    homes: list[Home] = field(default_factory=list)  # for each worker, where its rows are; empty if unknown
    managers: list[str] = field(default_factory=list)  # addresses of the ResourceManagers

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        said = json.loads(text)
        return cls(**{**said, "homes": [Home(**home) for home in said["homes"]]})


def services(wish: OnYarn, workers: int, servers: int) -> tuple[Service, ...]:
    """The roles of a run, each with its containers' size."""
    counts = {"scheduler": 1, "server": servers, "worker": workers}
    return tuple(
        Service(role, count, Size(megabytes(memory(wish, role), f"--{role}-memory"), getattr(wish, f"{role}_vcores")))
        for role, count in counts.items()
        if count
    )


def variables(wish: OnYarn) -> dict[str, str]:
    """What the user wishes to be in the containers' environment. UsageError for what can't be or is ours."""
    found: dict[str, str] = {}
    for text in wish.variables:
        name, sign, value = text.partition("=")
        if not sign or not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
            raise UsageError(f"--variables {text}: expected NAME=VALUE")
        if name in OURS or name.startswith(("PYTHON", "YARNML_")):
            raise UsageError(f"--variables {text}: yarnml sets {name} itself")
        found[name] = value
    return found


def memory(wish: OnYarn, role: str) -> str:
    return str(getattr(wish, f"{role}_memory"))
