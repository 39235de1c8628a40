"""Capacity: what this machine has for a run, and whether its tables fit in, asked before anything starts."""

from __future__ import annotations

import os
from collections.abc import Sequence

from yarnml.app.budget import fits, least
from yarnml.cluster.size import machine_memory
from yarnml.errors import UsageError
from yarnml.job import Part
from yarnml.launch.yarn.memory import megabytes
from yarnml.ps import TableSpec
from yarnml.request import Running

MIB, GIB = 1 << 20, 1 << 30


def cores() -> int:
    """Cores that this process may use: of its container, not of the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def data_memory(running: Running) -> int:
    """Bytes that the rows of a worker may take: as said, else half of what it has of this machine."""
    if running.data_memory is not None:
        return megabytes(running.data_memory, "--data-memory") * MIB
    return machine_memory() // 2 // running.workers


def refuse_memory(running: Running, train: Part) -> None:
    """Raise UsageError if --data-memory is too small for the training data, however slowly."""
    have, need = data_memory(running), least(train, running.workers)
    if not fits(train, running.workers, have) and have < need:
        enough = f"{-(-need // MIB)}MiB"
        said = running.data_memory or f"{have // MIB}MiB"
        raise UsageError(
            f"--data-memory {said}: is too little for the rows of this data; {enough} is the least that works"
        )


def refuse_tables(specs: Sequence[TableSpec], features: int) -> None:
    """Raise UsageError if the tables, with what their functions keep beside the values, are more than the memory."""
    have = machine_memory()
    sizes = [size(spec, have) for spec in specs]
    if sum(sizes) <= have:
        return
    said = ", ".join(
        f"table {spec.name!r} of {spec.rows:,} x {spec.width:,} {spec.dtype} {bytes_ / GIB:,.1f} GiB"
        for spec, bytes_ in zip(specs, sizes, strict=True)
    )
    raise UsageError(
        f"the tables need more memory than the {have / GIB:,.1f} GiB of this machine: {said}; the data has "
        f"{features:,} features: if that is meant, share the tables out on a cluster (yarnml submit --servers N), "
        f"else mend the data or leave columns out"
    )


def size(spec: TableSpec, enough: int) -> int:
    """Bytes of a table: its values, and unless these alone are more than `enough`, its function's state."""
    values = int(spec.rows) * int(spec.width) * spec.numpy_dtype.itemsize
    if values > enough:
        return values
    state = spec.function.state((1, spec.width), spec.numpy_dtype)
    return values + spec.rows * sum(array.nbytes for array in state.values())
