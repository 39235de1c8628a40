"""A snapshot: one server's rows as of a checkpoint's clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from yarnml.ps.checkpoint.origin import Chunk
from yarnml.ps.server.blocks import Loan
from yarnml.ps.spec import TableSpec


@final
@dataclass(frozen=True)
class Snapshot:
    """Of server `server` of `servers`, once every worker has ended `clock` clocks: their increments, and none later."""

    clock: int
    server: int
    servers: int
    tables: tuple[tuple[TableSpec, tuple[Chunk, ...]], ...]
    loans: tuple[Loan, ...] = ()  # by table
