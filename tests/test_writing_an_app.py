"""docs/writing_an_app.md: its app runs as it stands, on dense and sparse data, and what it names exists."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import yarnml
from yarnml import sched
from yarnml.app import Batch, Worker
from yarnml.app.app import NEEDED, OPTIONAL

TEXT = (Path(__file__).parents[1] / "docs" / "writing_an_app.md").read_text()


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """The document's first code block, as the app that it says to make of it."""
    code, _ = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "linear").mkdir()
    (tmp_path / "linear" / "app.py").write_text(code)
    return tmp_path / "linear"


def dense(folder: Path) -> Path:
    X = np.random.default_rng(0).standard_normal((500, 2))
    lines = [f"{a:.5f},{b:.5f},{2 * a - 3 * b + 1:.5f}" for a, b in X]
    (folder / "train.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    return folder / "train.csv"


def sparse(folder: Path) -> Path:
    """Rows of 3 values among 5,000 features, few of which matter."""
    rng, lines = np.random.default_rng(0), []
    for _ in range(2000):
        j, k = sorted(rng.choice(20, 2, replace=False) + 1)
        far = int(rng.integers(4900, 5000))
        lines.append(f"{j - k + 0.5:.3f} {j}:1 {k}:-1 {far}:0.01")
    (folder / "train.libsvm").write_text("\n".join(lines) + "\n")
    return folder / "train.libsvm"


@pytest.mark.parametrize("data", [dense, sparse])
@pytest.mark.parametrize("workers", [1, 2])
def test_its_app_learns_and_predicts(app: Path, tmp_path: Path, data: object, workers: int) -> None:
    assert callable(data)
    train = data(tmp_path)
    options = {"label": "y"} if train.suffix == ".csv" else {}
    where = {"runs": tmp_path / "runs", "deadline": 100.0}
    run = yarnml.run(app, data=train, test=0.2, workers=workers, out=tmp_path / "model", **options, **where).wait()
    assert run.result["test"]["r2"] > 0.95
    yarnml.run("predict", model=tmp_path / "model", data=train, out=tmp_path / "scores.csv", **where).wait()
    assert (tmp_path / "scores.csv").read_text().splitlines()[0].replace('"', "") == "prediction"
    if train.suffix == ".csv":
        np.testing.assert_allclose(run.model["w"].ravel(), [2, -3, 1], atol=0.01)
        assert yarnml.load(tmp_path / "model").predict([[1.0, 1.0]]) == pytest.approx([0], abs=0.02)


def test_the_policies_of_rounds_exist() -> None:
    rounds = TEXT[TEXT.index("## Rounds") : TEXT.index("## What a table")]
    named = set(re.findall(r"\b([A-Z]\w+)\(", rounds)) - {"Lasso"}
    assert {"Priority", "Independent", "Chosen"} < named <= set(sched.__all__)
    compile(re.findall(r"```python\n(.*?)```", rounds, re.DOTALL)[0], "rounds", "exec")


def test_what_it_names_exists_and_all_of_a_batch_is_named() -> None:
    named = {owner: set(re.findall(rf"`{owner}\.(\w+)", TEXT)) for owner in ("me", "batch")}
    of_batch = {field.name for field in fields(Batch)}
    assert of_batch <= named["batch"] <= of_batch | set(vars(Batch))
    plain = {"index", "workers", "threads", "seed", "staleness", "clock_now", "stop", "out"}
    assert named["me"] - plain <= set(vars(Worker))
    assert set(re.findall(r"^\| `(\w+)", TEXT, re.MULTILINE)) >= {*NEEDED, *OPTIONAL}
