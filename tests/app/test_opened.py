"""A model that is applied in this process is read once, and anew if it has changed in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yarnml
from hdfs_io import Label, Schema
from yarnml.app import keeping, open_with_app
from yarnml.model import Model, load_model, save_model


@pytest.fixture
def url(tmp_path: Path) -> str:
    save(str(tmp_path / "model"), 1.0)
    return str(tmp_path / "model")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that were read."""
    found: list[str] = []

    def load(url: str) -> Any:
        found.append(url)
        return load_model(url)

    monkeypatch.setattr("yarnml.app.saved.load_model", load)
    return found


def save(url: str, w: float) -> None:
    schema = Schema(sparse=False, width=1, features=("a",), label=Label("y", ("no", "yes")))
    arrays = {"W": np.full((2, 2), w, np.float32)}
    model = Model(app="mlr", task="classification", schema=schema, config={}, arrays=arrays)
    save_model(model, url, overwrite=True)


def test_it_is_kept_for_one_more_time(url: str, read: list[str]) -> None:
    with keeping(True):
        first = open_with_app(url)
    assert open_with_app(url)[0] is first[0]
    assert open_with_app(url)[0] is not first[0]
    assert read == [url, url]


def test_one_that_has_changed_is_read_anew(url: str, read: list[str]) -> None:
    with keeping(True):
        open_with_app(url)
    save(url, 2.0)
    assert open_with_app(url)[0]["W"][0, 0] == 2.0
    assert read == [url, url]


def test_nothing_is_kept_unless_it_is_wanted(url: str, read: list[str]) -> None:
    with keeping(False):
        first = open_with_app(url)
    assert open_with_app(url)[0] is not first[0]


def test_predict_reads_its_model_once(url: str, read: list[str], tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n2\n")
    where = {"data": str(tmp_path / "t.csv"), "out": str(tmp_path / "p.csv"), "runs": str(tmp_path / "runs")}
    yarnml.run("predict", model=url, **where).wait()
    assert read == [url]
