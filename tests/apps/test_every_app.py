"""What every app that learns must do, whichever it is: apps are discovered, so a new one is checked at once."""

from __future__ import annotations

import csv
import shutil
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yarnml
from hdfs_io import exists
from tests.apps.conftest import Start
from tests.apps.data import rows_for
from yarnml.app import app_names, load_app
from yarnml.errors import RunFailed, UsageError
from yarnml.task import Classification, Recommendation, Regression

HOME = Path(import_module("yarnml_apps").__path__[0])
COUNTS = {"lda", "medlda"}  # apps whose rows are counts
LEARNING = [name for name in app_names() if load_app(name).predict is not None and load_app(name).demo is not None]
FIRST = {"kmeans", "mlr"}  # of the others, what takes many processes or compiles all anew is for full counts


def in_full(names: set[str]) -> pytest.MarkDecorator:
    """For each app, for these at full count."""
    apps = [pytest.param(name, marks=pytest.mark.full if name in names else ()) for name in LEARNING]
    return pytest.mark.parametrize("name", apps, indirect=True)


FEW = in_full(set(LEARNING) - FIRST)
MOST = in_full(COUNTS)  # they take the longest by far, and have tests of two workers of their own


@pytest.fixture(params=LEARNING)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def result(run: Any) -> dict[str, Any]:
    found: dict[str, Any] = run.result
    return found


def arrays(run: Any) -> dict[str, np.ndarray]:
    return dict(run.model.arrays)


def watched(name: str, run: Any) -> float:
    """The metric that the app's task watches, on the rows that it learned from."""
    task = load_app(name).task
    assert task is not None
    return float(result(run)["train"][task.watch])


def test_says_what_it_is(name: str) -> None:
    app = load_app(name)
    assert len(app.about) > 20
    readme = HOME / name / "README.md"
    assert f"yarnml run {name}" in readme.read_text()


def has_learned(name: str, run: Any) -> None:
    metrics = result(run)["test"] or result(run)["train"]
    if isinstance(load_app(name).task, Classification):
        assert metrics["accuracy"] > 0.9
    assert all(np.isfinite(value) for value in metrics.values())
    assert all(np.isfinite(array).all() for array in arrays(run).values() if array.dtype.kind != "U")


def test_learns_its_demo(name: str, start: Start) -> None:
    run = start(name)
    has_learned(name, run)
    rows = [each["value"] for each in run.metrics.to_pylist() if each["name"] == "rows"]
    assert max(rows) > 0, "work that takes no batches says how many rows it went over: me.went_over"


def test_one_worker_at_staleness_0_is_deterministic(name: str, start: Start) -> None:
    first, second, other = (start(name, seed=seed) for seed in (1, 1, 2))
    for key, array in arrays(first).items():
        np.testing.assert_array_equal(array, arrays(second)[key])
    assert any(not np.array_equal(array, arrays(other)[key]) for key, array in arrays(first).items())


@MOST
def test_two_workers_at_staleness_0_are_deterministic(name: str, start: Start) -> None:
    first, second = (start(name, seed=1, workers=2, servers=2, threads=1) for _ in range(2))
    for key, array in arrays(first).items():
        np.testing.assert_array_equal(array, arrays(second)[key])
    assert watched(name, first) == pytest.approx(watched(name, start(name, seed=1)), rel=0.15, abs=0.02)


@MOST
def test_four_workers_and_staleness_change_little(name: str, start: Start) -> None:
    alone = start(name, seed=1)
    several = start(name, seed=1, workers=4, servers=2, staleness=2)
    assert watched(name, several) == pytest.approx(watched(name, alone), rel=0.15, abs=0.02)


@FEW
def test_without_a_bound_on_staleness_it_learns_still(name: str, start: Start) -> None:
    """How well depends on who comes first: one worker may have gone through all its rows before the other begins."""
    alone, several = start(name, seed=1), start(name, seed=1, workers=2, servers=2, staleness=None)
    has_learned(name, several)
    assert watched(name, several) < 2 * watched(name, alone) + 0.2


def rates(name: str) -> bool:
    """Rows are ratings, which have neither features nor a label."""
    return isinstance(load_app(name).task, Recommendation)


@dataclass(frozen=True)
class Fitting:
    options: dict[str, Any]  # data, and how it is read
    rows: np.ndarray  # (n, 2): the same, as predict takes them


@pytest.fixture
def fitting(name: str, blobs: Path, tmp_path: Path) -> Fitting:
    """Rows that the app can take: blobs, as counts where it takes only those, with a number as label at need."""
    if rates(name):
        options = rows_for(name, tmp_path)
        return Fitting(options, columns(options["data"]).astype(int))
    file = blobs
    if isinstance(load_app(name).task, Regression):
        text = blobs.read_text()
        for number, word in enumerate(("left", "right", "top")):
            text = text.replace(f",{word}\n", f",{number}\n")
        file = tmp_path / "numbers.csv"
        file.write_text(text)
    elif name in COUNTS:
        lines = blobs.read_text().splitlines()
        rows = [(float(a), float(b), kind) for a, b, kind in (line.split(",") for line in lines[1:])]
        file = tmp_path / "counts.csv"
        counts = [f"{abs(round(a))},{abs(round(b / 1000))},{kind}" for a, b, kind in rows]
        file.write_text("\n".join([lines[0], *counts]))
    return Fitting({"data": str(file), "label": "kind"}, columns(file))


def columns(file: Path | str) -> np.ndarray:
    """The first two."""
    return np.loadtxt(file, delimiter=",", skiprows=1, usecols=(0, 1))


def test_save_load_and_predict_agree(name: str, start: Start, fitting: Fitting, tmp_path: Path) -> None:
    run = start(name, out=str(tmp_path / "model"), **fitting.options)
    loaded = yarnml.load(tmp_path / "model").predict_columns(fitting.rows)
    fresh = run.model.predict_columns(fitting.rows)
    data, out = fitting.options["data"], tmp_path / "predictions.csv"
    written = start("predict", model=str(tmp_path / "model"), data=data, out=str(out))
    assert exists(result(written)["out"])
    table = list(csv.DictReader(out.read_text().splitlines()))
    assert list(table[0]) == [*(["user", "item"] if rates(name) else []), *loaded]
    for row, each in zip(table, loaded["prediction"], strict=True):
        assert type(each)(row["prediction"]) == each
    for column, values in loaded.items():
        np.testing.assert_array_equal(values, fresh[column])
    for metric, value in result(written)["test"].items():
        assert value == pytest.approx(result(run)["train"][metric], rel=1e-6)


@FEW
def test_more_workers_than_rows(name: str, start: Start, tmp_path: Path) -> None:
    file = tmp_path / "few.csv"
    file.write_text(("user,item,rating" if rates(name) else "a,b,y") + "\n0,0,0\n5,5,1\n")
    options: dict[str, Any] = {"k": 2} if name == "kmeans" else {}
    run = start(name, data=str(file), workers=3, **options, **({} if rates(name) else {"label": "y"}))
    assert len(run.model.predict([[0, 0], [5, 5]])) == 2


def test_a_single_class_is_refused_before_the_start(name: str, start: Start, tmp_path: Path) -> None:
    if not isinstance(load_app(name).task, Classification):
        pytest.skip("learns without classes")
    file = tmp_path / "one.csv"
    file.write_text("a,y\n" + "1,x\n2,x\n" * 20)
    with pytest.raises(UsageError, match="only the class 'x'"):
        start(name, data=str(file), label="y")


def test_nan_is_refused_before_the_start(name: str, start: Start, tmp_path: Path) -> None:
    if rates(name):
        pytest.skip("learns without features")
    file = tmp_path / "gaps.csv"
    file.write_text("a,y\n" + "1,0\n,1\n" * 20)
    with pytest.raises(UsageError, match=f"{name} cannot learn from nan; use --missing zero"):
        start(name, data=str(file), label="y", missing="nan")


@FEW
def test_a_copy_by_its_path_learns_and_is_trusted_or_refused(name: str, start: Start, tmp_path: Path) -> None:
    copy = tmp_path / "mine"
    shutil.copytree(HOME / name, copy, ignore=shutil.ignore_patterns("__pycache__"))
    start(str(copy), out=str(tmp_path / "model"))
    shutil.rmtree(copy)  # the model brings the code along
    model = yarnml.load(tmp_path / "model", trust=True)
    assert len(model.predict(np.zeros((3, model.schema.width or 2), int))) == 3
    with pytest.raises(UsageError, match="trust"):
        yarnml.load(tmp_path / "model")


def test_an_app_that_fails_says_so(name: str, start: Start, fitting: Fitting, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("")
    with pytest.raises((UsageError, RunFailed), match="exists"):
        start(name, out=str(tmp_path / "taken"), **fitting.options)
