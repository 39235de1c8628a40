"""`yarnml status RUN`: how a run stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import Positional

from yarnml.cli.flags import parse
from yarnml.cli.runs import line
from yarnml.runs import RunDir, default_runs, find_run

PARTS = ("train", "valid", "test")


@dataclass(frozen=True, kw_only=True)
class Args:
    run: Annotated[str, Positional]  # a run's id, or the beginning of it, or its URL
    runs: str | None = None  # directory of all runs; else ~/.yarnml/runs


def main(args: Sequence[str]) -> int:
    said = parse("yarnml status", "How a run stands.", {"status": Args}, args)["status"]
    print("\n".join(_lines(find_run(said.runs or default_runs(), said.run))))
    return 0


def _lines(run: RunDir) -> list[str]:
    record, glance = run.record(), run.glance()
    job = record.job
    lines = [line(run), f"  in {run.url}"]
    lines.append(f"  driver: pid {record.pid} on {record.host}")
    staleness = "none" if job["staleness"] is None else job["staleness"]
    lines.append(f"  app {record.app}, {job['workers']} workers, {job['servers']} servers, staleness {staleness}")
    if glance is not None and glance.workers:
        lines.append(f"  last seen: {'  '.join(glance.parts())}")
    lines += [f"  {part}: {_scores(record.result[part])}" for part in PARTS if record.result.get(part)]
    lines += [f"  {name}: {record.result[name]}" for name in ("model", "out") if record.result.get(name)]
    if record.state == "lost":
        lines.append("  its driver is gone without a word; its processes end by themselves once they miss it")
    return lines + [f"  {text}" for text in record.message.splitlines()]


def _scores(scores: dict[str, float]) -> str:
    return "  ".join(f"{name} {value:.5g}" for name, value in scores.items())
