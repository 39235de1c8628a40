"""A model to start from is of the same columns and classes: what was learned would else be taken for something else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hdfs_io import Label, Schema
from yarnml.app import load_app
from yarnml.errors import UsageError
from yarnml.model import Model, save_model
from yarnml.warm import refuse_start

SCHEMA = Schema(sparse=False, width=2, features=("a", "b"), label=Label("y", ("no", "yes"), (3, 4)))


@pytest.fixture
def url() -> str:
    model = Model(app="svm", task="classification", schema=SCHEMA, config={}, arrays={"w": np.ones((3, 1))})
    save_model(model, "memory://test-warm/model", overwrite=True)
    return "memory://test-warm/model"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"label": Label("class", ("no", "yes"))}, ""),
        ({"features": ("a", "c")}, "feature 'b' there is 'c' here"),
        ({"width": 3, "features": ("a", "b", "c")}, "feature None there is 'c' here"),
        ({"label": Label("y", ("maybe", "yes"))}, "its classes are no, yes, and the data's are maybe, yes"),
        ({"width": 3, "features": None}, r"'w' has the shape \(3, 1\) there and \(4, 1\) here"),
    ],
)
def test_what_fits_and_what_does_not(url: str, change: dict[str, object], said: str) -> None:
    app, schema = load_app("svm"), replace(SCHEMA, **change)  # type: ignore[arg-type]
    cfg = app.config({})
    specs = app.specs(cfg, schema)
    if not said:
        refuse_start(url, app, cfg, schema, specs)
        return
    with pytest.raises(UsageError, match=f"--start-from {url}: {said}"):
        refuse_start(url, app, cfg, schema, specs)
