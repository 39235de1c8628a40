"""Apps beside their peers: seconds from start to model, each as a process, and how good the two models are."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from yarnml.app import app_names
from yarnml.bench.entries import ENTRIES, Entry, Peer
from yarnml.bench.mlr import timed
from yarnml.bench.row import Row

PEERS = Path(__file__).parent / "peers"
Figures = dict[str, float]  # "quality" of a model, "total" seconds until it was there


def run(quick: bool = False, peers: str = sys.executable) -> list[Row]:
    """Medians over three interleaved rounds; `quick`: one, on small data. `peers`: the Python that has the peers."""
    known = set(app_names())
    return [row for entry in ENTRIES if entry.app in known for row in _compared(entry, quick, peers)]


def _compared(entry: Entry, quick: bool, python: str) -> list[Row]:
    peer = next((each for each in entry.peers if _there(each, python)), None)
    with TemporaryDirectory() as folder:
        (entry.quick if quick else entry.make)(Path(folder))
        options = entry.options if quick else entry.options | entry.large
        ours(entry, folder, options)  # compiles what isn't in numba's cache yet
        rounds = 1 if quick else 3
        turns = [(ours(entry, folder, options), theirs(peer, folder, python)) for _ in range(rounds)]
    mine, others = [turn for turn, _ in turns], [turn for _, turn in turns if turn is not None]
    names = " or ".join(each.name for each in ([peer] if peer else entry.peers))
    title = f"{entry.app} ({'in small' if quick else entry.about}) beside {names}"
    return rows(entry, title, mine, others, None if quick else entry.aim)


def rows(entry: Entry, title: str, mine: Sequence[Figures], others: Sequence[Figures], aim: float | None) -> list[Row]:
    """How good the models are, and the seconds until they were there; without a peer nothing holds or fails.

    `aim`: the part of the peer's seconds that ours should be; None on small data, where a start is most of them.
    """
    good, took = (median(turn[name] for turn in mine) for name in ("quality", "total"))
    quality, seconds = f"{title}: {entry.quality}", f"{title}: s to the model"
    close, faster = f"{entry.better}, to {entry.slack:g}", "-" if aim is None else f"<= {aim:g}"
    if not others:
        return [Row(quality, good, None, None, close, None), Row(seconds, took, None, None, faster, None)]
    goal, other = (median(turn[name] for turn in others) for name in ("quality", "total"))
    worse = (good - goal if entry.better == "lower" else goal - good) / abs(goal)
    return [
        Row(quality, good, goal, good / goal, close, worse <= entry.slack),
        Row(seconds, took, other, took / other, faster, None if aim is None else took <= aim * other),
    ]


def ours(entry: Entry, folder: str, more: dict[str, str]) -> Figures:
    """`yarnml run` on the data, as a user's process: quality, and seconds without those of scoring."""
    options = {"data": f"{folder}/{entry.train}", "runs": f"{folder}/runs", **more}
    options |= {"test": f"{folder}/{entry.test}"} if entry.test else {}
    flags = [word for name, value in options.items() for word in (f"--{name}", value)]
    said, total = timed([sys.executable, "-m", "yarnml", "run", entry.app, *flags, "--json"])
    home = Path(folder) / "runs" / said["run"]
    result = json.loads((home / "run.json").read_text())["result"]
    return {"quality": _quality(entry.quality, result, home), "total": total - result["seconds"]["score"]}


def theirs(peer: Peer | None, folder: str, python: str) -> Figures | None:
    """The peer's script as a process, likewise."""
    if peer is None:
        return None
    said, total = timed([python, str(PEERS / f"{peer.script}.py"), folder])
    return {"quality": said["quality"], "total": total - said["after"]}


def _quality(name: str, result: dict[str, Any], home: Path) -> float:
    part, dot, metric = name.partition(".")
    if dot:
        return float(result[part][metric])
    lines = (json.loads(line) for line in (home / "metrics.jsonl").read_text().splitlines())
    return float([line["value"] for line in lines if line["name"] == name][-1])


def _there(peer: Peer, python: str) -> bool:
    """Whether that Python has the peer."""
    look = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({peer.package!r}) is None)"
    return subprocess.run([python, "-c", look], check=False, timeout=60).returncode == 0
