"""A damaged model ends a command before anything starts: exit 2 and one line, with the file and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import yarnml
from hdfs_io import DataError, Label, Schema
from yarnml.cli import main
from yarnml.model import Model, save_model

MEND = "; train the model anew, or copy it again"
DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "fewer columns": (lambda model: np.save(model / "W.npy", np.ones((3, 1))), "W.npy has the shape (3, 1)"),
    "nan": (lambda model: np.save(model / "W.npy", np.full((3, 2), np.nan)), "W.npy holds 6 numbers of 6"),
    "missing": (lambda model: (model / "W.npy").unlink(), "W.npy is missing"),
    "cut": (lambda model: (model / "W.npy").write_bytes((model / "W.npy").read_bytes()[:-8]), "W.npy is no whole"),
    "no description": (lambda model: (model / "model.json").write_text("[]"), "model.json is no JSON object"),
    "half a description": (lambda model: (model / "model.json").write_text('{"format": 2}'), "model.json lacks 'app'"),
}


@pytest.fixture
def data(tmp_path: Path) -> str:
    (tmp_path / "table.csv").write_text("a,b,y\n" + "1,2,no\n2,1,yes\n" * 10)
    return str(tmp_path / "table.csv")


@pytest.fixture(params=DAMAGES)
def damage(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """A model that was damaged once it was saved, and what is wrong with it."""
    harm, says = DAMAGES[request.param]
    url = tmp_path / "model"
    schema = Schema(sparse=False, width=2, features=("a", "b"), label=Label("y", ("no", "yes")))
    save_model(
        Model(app="mlr", task="classification", schema=schema, config={}, arrays={"W": np.ones((3, 2))}), str(url)
    )
    harm(url)
    return str(url), says


@pytest.mark.parametrize("command", ["predict", "start from"])
def test_nothing_starts(
    damage: tuple[str, str], command: str, data: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (url, says), out, runs = damage, tmp_path / "out", tmp_path / "runs"
    asked = ["predict", "--model", url] if command == "predict" else ["mlr", "--label", "y", "--start-from", url]
    assert main(["run", *asked, "--data", data, "--out", str(out), "--runs", str(runs), "--json"]) == 2
    said = capfd.readouterr()
    assert json.loads(said.out)["run"] is None
    (line,) = [line for line in said.err.splitlines() if line.startswith("yarnml: ")]
    assert f"{url}: {says}" in line
    assert line.endswith(MEND)
    assert not out.exists()
    assert not runs.exists()


def test_it_is_not_loaded(damage: tuple[str, str]) -> None:
    url, says = damage
    with pytest.raises(DataError) as error:
        yarnml.load(url)
    assert str(error.value).startswith(f"{url}: {says}")
