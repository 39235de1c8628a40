"""How much of this machine each node of the cluster offers to containers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from yarnml.errors import UsageError

MASTERS_MB = 800  # NameNode and ResourceManager, as measured
NODE_MB = 600  # a DataNode and a NodeManager
STEP_MB = 128  # YARN grants memory in such steps
LEAST_MB, MOST_MB = 1024, 8192
VCORES = 8  # shares of a node rather than cores: enough that small runs fit beside each other on a laptop
MOST_NODES = 16


@dataclass(frozen=True)
class Size:
    """What YARN may give to the containers of one node."""

    memory_mb: int
    vcores: int


def size(nodes: int, memory_mb: int | None = None, vcores: int | None = None, machine_mb: int | None = None) -> Size:
    """A node's size: as asked for, else an even share of 80 % of the machine's memory, at most 8 GB."""
    if not 1 <= nodes <= MOST_NODES:
        raise UsageError(f"--nodes {nodes}: a cluster on one machine has 1 to {MOST_NODES} nodes")
    machine = machine_mb or machine_memory() >> 20
    share = (machine * 8 // 10 - MASTERS_MB - nodes * NODE_MB) // nodes
    granted = min(share, MOST_MB) if memory_mb is None else memory_mb
    if granted > share or granted < LEAST_MB:
        raise UsageError(
            f"--nodes {nodes}: each could have {max(share, 0)} MB of this machine's {machine} MB for its containers, "
            f"and {max(granted, LEAST_MB)} MB is needed; ask for fewer nodes or less memory"
        )
    return Size(whole_steps(granted), max(VCORES, os.cpu_count() or 1) if vcores is None else vcores)


def whole_steps(memory_mb: int) -> int:
    """Memory as YARN counts it."""
    return memory_mb // STEP_MB * STEP_MB


def machine_memory() -> int:
    """Bytes of memory that this process may use: the machine's, or its control group's limit."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        try:
            total = min(total, int((Path("/sys/fs/cgroup") / name).read_text()))
        except (OSError, ValueError):  # no such control group, or no limit
            continue
    return total
