"""Saved: a model on a store and the app that made it, brought together again."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR
from yarnml.app.app import App
from yarnml.app.find import digest, load_app, load_private
from yarnml.app.scores import predicted
from yarnml.errors import UsageError
from yarnml.model import Model, load_model


def open_model(url: str, trust: bool = False) -> Model:
    """The model saved at `url`, ready to predict.

    One that was made by a private app brings that app's code along, which runs only with `trust`: whoever wrote the
    model decides what it does. Raises UsageError or DataError if it can't be opened.
    """
    return open_with_app(url, trust)[0]


def open_with_app(url: str, trust: bool = False) -> tuple[Model, App]:
    """The same, and its app."""
    model, source = load_model(url)
    app = _private(url, model, source, trust) if model.private else load_app(model.app)
    if app.predict is None or app.task is None:
        raise UsageError(f"{url}: the app {app.name} has no predict any more")
    return bound(model, app), app


def bound(model: Model, app: App) -> Model:
    """The model with its app's way to predict."""
    task = app.task
    assert task is not None

    def predictor(model: Model, X: NDArray[np.float32] | CSR) -> dict[str, NDArray[Any]]:
        return task.table(predicted(app, model, X), model.schema)

    return replace(model, predictor=predictor)


def _private(url: str, model: Model, source: dict[str, bytes], trust: bool) -> App:
    if not trust:
        raise UsageError(
            f"{url}: this model brings its own code (app {model.app}); if you trust whoever made it, open it with "
            f"trust=True (--trust)"
        )
    if digest(source) != model.code:
        raise UsageError(f"{url}: the code beside this model isn't what it was saved with")
    folder = Path(tempfile.mkdtemp(prefix="yarnml-app-")) / model.app  # stays while the process may import from it
    for name, text in source.items():
        target = folder / name
        if not target.resolve().is_relative_to(folder.resolve()):
            raise UsageError(f"{url}: the code beside this model has a file outside its folder: {name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    return load_private(model.app, url, folder)
