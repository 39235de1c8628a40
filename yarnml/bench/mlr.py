"""mlr beside scikit-learn: seconds to the test log-loss that its LogisticRegression reaches, each as a process."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from yarnml.bench.row import Row

WIDTH, CLASSES, CENTRES = 100, 10, 50
SLACK = 0.001  # in log-loss

PEER = """
import json, sys, time
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

def load(part):
    table = pd.read_parquet(f"{sys.argv[1]}/{part}.parquet")
    return table.drop(columns="label").to_numpy("float32"), table["label"].to_numpy()

X, y = load("train")
begin = time.perf_counter()
model = LogisticRegression(C=1.0, max_iter=100).fit(X, y)
train = time.perf_counter() - begin
X, y = load("test")
print(json.dumps({"train": train, "log_loss": log_loss(y, model.predict_proba(X))}))
"""


def run(quick: bool = False) -> list[Row]:
    """Medians over interleaved rounds of a million rows; `quick`: one round of a tenth, with more passes."""
    n, rounds, epochs = (100_000, 1, 8) if quick else (1_000_000, 3, 1)
    with TemporaryDirectory() as folder:
        write_data(Path(folder), n)
        ours(folder, 1)  # compiles what isn't in numba's cache yet
        peered = find_spec("sklearn") is not None and find_spec("pandas") is not None
        turns = [(ours(folder, epochs), peer(folder) if peered else None) for _ in range(rounds)]
    return rows([mine for mine, _ in turns], [theirs for _, theirs in turns if theirs is not None])


def rows(mine: list[dict[str, float]], theirs: list[dict[str, float]]) -> list[Row]:
    """The comparison: how much worse the log-loss is, then seconds of training, and of the whole process."""

    def figures(name: str) -> tuple[float, float | None]:
        return median(turn[name] for turn in mine), median(turn[name] for turn in theirs) if theirs else None

    loss, goal = figures("log_loss")
    reached = None if goal is None else loss <= goal + SLACK
    ratio = None if goal is None else loss / goal
    found = [Row("test log-loss", loss, goal, ratio, f"<= peer + {SLACK:g}", reached)]
    for name, key, aim in (("training, s", "train", 0.1), ("start, load, train, score, s", "total", 0.3)):
        took, peers = figures(key)
        part = None if peers is None else took / peers
        found.append(Row(name, took, peers, part, f"<= {aim:g}", None if part is None else part <= aim))
    return found


def ours(folder: str, epochs: int) -> dict[str, float]:
    """`yarnml run mlr` on the data, as a user's process."""
    command = ["-m", "yarnml", "run", "mlr", "--data", f"{folder}/train.parquet", "--test", f"{folder}/test.parquet"]
    command += ["--label", "label", "--epochs", str(epochs), "--runs", f"{folder}/runs", "--json"]
    said, total = timed([sys.executable, *command])
    record = json.loads((Path(folder) / "runs" / said["run"] / "run.json").read_text())
    return {"log_loss": said["test"]["log_loss"], "train": record["result"]["seconds"]["train"], "total": total}


def peer(folder: str) -> dict[str, float]:
    """scikit-learn's, which is loaded, trained and scored in a process too."""
    said, total = timed([sys.executable, "-c", PEER, folder])
    return {**said, "total": total}


def timed(command: list[str]) -> tuple[dict[str, Any], float]:
    """The JSON on a process's last line, and its seconds."""
    begin = perf_counter()
    out = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout
    said: dict[str, Any] = json.loads(out.strip().splitlines()[-1])
    return said, perf_counter() - begin


def write_data(folder: Path, n: int) -> None:
    """Rows around 50 overlapping centres, of 10 classes by a softmax of linear scores; train and a tenth to test."""
    rng = np.random.default_rng(1)
    C = rng.standard_normal((CENTRES, WIDTH), np.float32)
    W = 3 / np.sqrt(WIDTH) * rng.standard_normal((WIDTH, CLASSES)).astype(np.float32)
    for part, size in (("train", n), ("test", n // 10)):
        X = (C[rng.integers(0, CENTRES, size)] + rng.standard_normal((size, WIDTH), np.float32)).round(4)
        y = (X @ W + rng.gumbel(size=(size, CLASSES))).argmax(axis=1).astype(np.int32)
        table = pa.table({"label": y, **{f"f{j}": X[:, j] for j in range(WIDTH)}})
        pq.write_table(table, folder / f"{part}.parquet", row_group_size=131_072)
