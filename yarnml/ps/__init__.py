"""Stale synchronous parallel tables: parameters by row, sharded over servers, read a bounded number of clocks old.

| the file | decides |
|---|---|
| `cache.py` | that a row is fresh enough to read |
| `shard.py` | when an increment is applied and when a read is answered |
| `blocks.py`, `functions/` | how an increment changes a row |
| `sender.py` | that it counts exactly once |
| `slots.py`, `pages.py` | what a worker with little memory lets go |
| `outbox.py`, `managed.py` | what is sent when, in managed communication |
| `resume.py` | where a worker that died is gone on from |
| `client.py`, `server.py` | nothing: they carry messages |
"""

from yarnml.ps.client.client import Client, connect
from yarnml.ps.client.resume import Disagree, resume
from yarnml.ps.functions import (
    L1,
    L2,
    AdaGrad,
    Adam,
    AdaRevision,
    Add,
    Assign,
    Ball,
    Elastic,
    Function,
    Increment,
    Max,
    Min,
    NonNegative,
    Proximal,
    Simplex,
    Then,
    imported,
)
from yarnml.ps.init import Init, constant, normal, zeros
from yarnml.ps.local import local_client
from yarnml.ps.server.serve import serve
from yarnml.ps.spec import TableSpec
from yarnml.ps.table import Table, Tables

__all__ = [
    "L1",
    "L2",
    "AdaGrad",
    "AdaRevision",
    "Adam",
    "Add",
    "Assign",
    "Ball",
    "Client",
    "Disagree",
    "Elastic",
    "Function",
    "Increment",
    "Init",
    "Max",
    "Min",
    "NonNegative",
    "Proximal",
    "Simplex",
    "Table",
    "TableSpec",
    "Tables",
    "Then",
    "connect",
    "constant",
    "imported",
    "local_client",
    "normal",
    "resume",
    "serve",
    "zeros",
]
