"""`yarnml status RUN`: how a run stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from tyro.conf import Positional

from hdfs_io.spoken import many
from yarnml.cli.flags import parse
from yarnml.cli.onward import onward
from yarnml.cli.runs import line
from yarnml.cli.where import find
from yarnml.errors import DataError, UsageError
from yarnml.runs import RunDir

PARTS = ("train", "valid", "test")


@dataclass(frozen=True, kw_only=True)
class Args:
    run: Annotated[str, Positional]  # a run's id, or the beginning of it, or its URL
    runs: str | None = None  # directory of all runs; else ~/.yarnml/runs, and that on the cluster


def main(args: Sequence[str]) -> int:
    said = parse("yarnml status", "How a run stands.", {"status": Args}, args)["status"]
    print("\n".join(_lines(find(said.run, said.runs))))
    return 0


def _lines(run: RunDir) -> list[str]:
    record, glance = run.record(), run.glance()
    job = record.job
    lines = [line(run), f"  in {run.url}"]
    where = f"submitted by pid {record.pid}" if record.application else f"driver: pid {record.pid}"
    lines.append(f"  {where} on {record.host}")
    if record.application:
        lines.append(f"  {_application(record.application)}")
    counts = {role: job.get(f"{role}s", "?") for role in ("worker", "server")}
    processes = ", ".join(f"{count} {role}{'s' * (count != 1)}" for role, count in counts.items())
    staleness = "none" if job.get("staleness") is None else job["staleness"]
    lines.append(f"  app {record.app}, {processes}, staleness {staleness}")
    if glance is not None and glance.workers:
        lines.append(f"  last seen: {'  '.join(glance.parts())}")
    if glance is not None and glance.generation:
        lines.append(f"  generation {glance.generation}: {glance.setback}")
    if glance is not None and glance.restarts:
        lines.append(f"  {many(glance.restarts, 'restart')}")
    if glance is not None and record.state == "running":
        lines += [f"  {_container(row)}" for row in glance.containers]
    lines += [f"  {part}: {_scores(record.result[part])}" for part in PARTS if record.result.get(part)]
    lines += [f"  {line}" for line in record.result.get("summary", ())]
    lines += [f"  {name}: {record.result[name]}" for name in ("model", "out") if record.result.get(name)]
    if record.state == "lost":
        ends = "`yarnml kill` ends its application" if record.application else "its processes end once they miss it"
        lines.append(f"  its {'scheduler' if record.application else 'driver'} is gone without a word; {ends}")
        lines += [f"  {line}" for line in onward(run)]
    return lines + [f"  {text}" for text in record.message.splitlines()]


def _container(row: dict[str, Any]) -> str:
    """`worker 0    clock 12     512 of 2048 MiB  host h, ...`."""
    clock = "" if row["clock"] is None else f"clock {row['clock']:,.0f}"
    used = "?" if row["mb"] is None else f"{row['mb']:.0f}"
    return f"{row['seat']:<10} {clock:<12} {used:>6} of {row['limit']} MiB   {row['name']}"


def _application(name: str) -> str:
    """The application as YARN sees it; only its name where the ResourceManager can't be asked."""
    from yarnml.launch.yarn.manager import configured

    try:
        app = configured().application(name)
    except (DataError, UsageError) as error:
        return f"{name} ({error})"
    if app is None:
        return f"{name}, which the ResourceManager has forgotten"
    why = f": {app.diagnostics}" if app.diagnostics and app.state != "RUNNING" else ""
    return f"{name} is {app.state.lower()}, {many(app.containers, 'container')}{why}"


def _scores(scores: dict[str, float]) -> str:
    return "  ".join(f"{name} {value:.5g}" for name, value in scores.items())
