"""A row of a bench: one figure of ours beside a peer's, measured in the same run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """`ratio`: ours over the peer's; `aim`: what it (without a peer: `ours`) should be; `holds`: whether it is."""

    name: str
    ours: float
    peer: float | None
    ratio: float | None
    aim: str
    holds: bool | None
