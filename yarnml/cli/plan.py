"""A plan: what `--dry-run` prints instead of starting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hdfs_io.spoken import many
from yarnml.config import flag
from yarnml.monitor.progress import short
from yarnml.prepare import said_of_data

if TYPE_CHECKING:
    from yarnml.app import App
    from yarnml.job import Job


def plan(app: App, job: Job, where: str = "") -> str:
    """Data as it would be read, app, config, roles, tables and outputs, for a reader; `where`: if not here."""
    lines = [f"app      {app.name}: {app.about}"]
    for name, value in job.config.items():
        lines.append(f"         {flag(name)} {shown(value)}")
    lines += said_of_data(job)
    where = where or ("this process" if job.workers == 1 and job.servers == 1 else "processes of this machine")
    staleness = "none" if job.staleness is None else job.staleness
    lines.append(
        f"roles    {many(job.workers, 'worker')} of {many(job.threads, 'thread')}, {many(job.servers, 'server')}, "
        f"staleness {staleness}, seed {job.seed}, in {where}"
    )
    lines += _tables(app, job)
    lines.append(f"output   {job.out or job.url + ('/model' if app.predict else '/out')}")
    lines.append(f"run      {job.url}")
    return "\n".join([*lines, "nothing was started"])


def _tables(app: App, job: Job) -> list[str]:
    if job.train is None:
        return []
    lines = []
    for spec in app.specs(app.config(job.config), job.train.dataset.schema):
        rows, width = spec.shape
        lines.append(f"table    {spec.name}: {rows:,} x {width:,} {spec.dtype}, {_bytes(spec)}")
    return lines


def _bytes(spec: Any) -> str:
    import numpy as np

    size = short(spec.shape[0] * spec.shape[1] * np.dtype(spec.dtype).itemsize)
    return f"{size}B" if " " in size else f"{size} B"


def shown(value: Any) -> str:
    """A config's value as it is written on the command line."""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
