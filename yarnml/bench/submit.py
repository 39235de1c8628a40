"""Submitting beside Spark: seconds from the command to the first work that it does on YARN, all of it sent before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import final

from hdfs_io import copy, join, open_fs, read_text, remove, write_text
from yarnml.bench.row import Row
from yarnml.errors import UsageError
from yarnml.launch.yarn.site import adopt, default_home

ROWS = 2000
AIM = 20.0  # seconds
LIMIT = 600.0  # seconds for one submission
SPARK = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
assert spark.range(0, 1000, 1, 2).count() == 1000  # in two tasks of the JVMs: no Python need start for them
spark.stop()
"""


def run(quick: bool = False) -> list[Row]:
    """Medians over interleaved rounds after one that sends everything; `quick`: one round instead of three.

    Spark joins in where pyspark is installed. UsageError if no cluster is known here.
    """
    adopt()
    home = default_home()
    if home is None:
        raise UsageError("this bench needs a Hadoop cluster: yarnml cluster up --nodes 2, or set HADOOP_CONF_DIR")
    folder = join(home, f".yarnml/bench-{os.getpid()}")
    try:
        write_text(join(folder, "train"), "".join(f"{i % 2} 1:{i % 2}.{i} 2:{i % 7}\n" for i in range(ROWS)))
        spark = Spark.sent(folder)
        turns = [(ours(folder), None if spark is None else spark.turn()) for _ in range(2 if quick else 4)][1:]
    finally:
        remove(folder)
    return rows([mine for mine, _ in turns], [theirs for _, theirs in turns if theirs is not None])


def rows(mine: list[float], theirs: list[float]) -> list[Row]:
    """The comparison, and how far ours is from the aim that it has for itself."""
    took = median(mine)
    peers = median(theirs) if theirs else None
    ratio = None if peers is None else took / peers
    return [
        Row(
            "submit to first clock (Spark: task), s", took, peers, ratio, "<= 1", None if ratio is None else ratio <= 1
        ),
        Row("submit to first clock, s", took, None, None, f"<= {AIM:g} s", took <= AIM),
    ]


def ours(folder: str) -> float:
    """To the end of the first clock of mlr on two workers and a server, as the run's metrics have it."""
    flags = ["--data", join(folder, "train"), "--workers", "2", "--epochs", "1", "--runs", join(folder, "runs")]
    begin = time.time()
    name = json.loads(_output([sys.executable, "-m", "yarnml", "submit", "mlr", *flags, "--json"]))["run"]
    metrics = read_text(join(folder, f"runs/{name}/metrics.jsonl")).splitlines()
    return float(min(json.loads(line)["time"] for line in metrics)) - begin


@final
class Spark:
    """pyspark's own Spark, with its jars on the cluster."""

    def __init__(self, home: Path, folder: str) -> None:
        self._home, self._folder = home, folder

    @classmethod
    def sent(cls, folder: str) -> Spark | None:
        """Its jars are sent to `folder`, as an administrator would have done. None if pyspark isn't installed."""
        spec = find_spec("pyspark")
        if spec is None or spec.origin is None:
            return None
        home = Path(spec.origin).parent
        copy(str(home / "jars"), join(folder, "jars"))
        return cls(home, folder)

    def turn(self) -> float:
        """To the launch of the first task in one of two executors, as Spark's event log has it."""
        events = join(self._folder, f"events-{time.time_ns()}")
        fs, path = open_fs(events)
        fs.makedirs(path)
        settings = {
            "spark.yarn.jars": join(self._folder, "jars/*.jar"),
            "spark.eventLog.enabled": "true", "spark.eventLog.dir": events, "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false", "spark.yarn.appMasterEnv.PYSPARK_PYTHON": sys.executable,
        }  # fmt: skip
        flags = ["--master", "yarn", "--deploy-mode", "cluster", "--num-executors", "2"]
        flags += [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
        with TemporaryDirectory() as scratch:
            script = Path(scratch, "first_task.py")
            script.write_text(SPARK)
            begin = time.time()
            _output([str(self._home / "bin/spark-submit"), *flags, str(script)], {"SPARK_HOME": str(self._home)})
        (log,) = fs.ls(path, detail=False)
        return _first_task(read_text(join(events, log.rpartition("/")[2]))) - begin


def _first_task(events: str) -> float:
    """Seconds of the epoch at which it was launched."""
    started = (json.loads(line) for line in events.splitlines() if '"SparkListenerTaskStart"' in line)
    return float(min(event["Task Info"]["Launch Time"] for event in started)) / 1000


def _output(command: list[str], env: dict[str, str] | None = None) -> str:
    """The last line that a command prints. UsageError with its last words if it fails."""
    said = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **(env or {})}
    done = subprocess.run(command, env=said, capture_output=True, text=True, timeout=LIMIT, check=False)
    if done.returncode:
        last = "\n".join(f"  | {line}" for line in done.stderr.splitlines()[-12:])
        raise UsageError(f"{' '.join(command[:4])} ... failed with exit code {done.returncode}:\n{last}")
    return (done.stdout.strip().splitlines() or [""])[-1]
