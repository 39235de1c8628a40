"""Saved: a model on a store and the app that made it, brought together again."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR, Keys, open_fs
from yarnml.app.app import App
from yarnml.app.batch import Batch
from yarnml.app.find import digest, load_app, load_private, read_source
from yarnml.app.finite import finite_rows
from yarnml.app.opened import once
from yarnml.app.scores import predicted, readable
from yarnml.config import hints
from yarnml.errors import UsageError
from yarnml.model import Abilities, Model, load_model, load_outline
from yarnml.model.about import NAME
from yarnml.model.arrays import damaged
from yarnml.model.stated import fault
from yarnml.task import Columns, Task


def open_model(url: str, trust: bool = False) -> Model:
    """The model saved at `url`, ready to predict.

    One that was made by a private app brings that app's code along, which runs only with `trust`: whoever wrote the
    model decides what it does. The user's own code, which lies unchanged where the model was made, needs no trust.
    Raises UsageError or DataError if it can't be opened.
    """
    return open_with_app(url, trust)[0]


def open_with_app(url: str, trust: bool = False) -> tuple[Model, App]:
    """The same, and its app; within `keeping` it is read once for two times that it is opened."""
    return once(url, trust, lambda: _opened(url, trust))


def _opened(url: str, trust: bool) -> tuple[Model, App]:
    model, source = load_model(url)
    app = _app(url, model, source, trust)
    return bound(replace(model, config={**_defaults(app), **model.config}), app), app


def open_outline(url: str, trust: bool = False) -> tuple[Model, App]:
    """The same without the arrays, refused as `open_model` would refuse it: for a look before anything starts."""
    model, source = load_outline(url)
    return model, _app(url, model, source, trust)


def bound(model: Model, app: App) -> Model:
    """The model with what its app can do with it."""
    task = app.task
    assert task is not None

    def predict(model: Model, X: NDArray[np.float32] | CSR, keys: tuple[Keys, ...]) -> Columns:
        if not app.takes_nan:
            finite_rows(X, app.name)
        user, item = keys or (None, None)
        return readable(task, model, predicted(app, model, Batch(X, user=user, item=item)))

    def best(model: Model, users: Keys, n: int) -> Columns:
        rows = np.empty((len(users), 0), np.float32)
        return predicted(app, model, Batch(rows, user=users), top=n)

    able = Abilities(
        predict=predict,
        recommend=None if app.recommend is None else best,
        coefficients=app.coefficients,
        top_words=app.top_words,
        summary=app.summary,
    )
    return replace(model, abilities=able)


def _defaults(app: App) -> dict[str, Any]:
    """Of what an older release of the app did not let a user choose."""
    return {f.name: f.default for f in fields(app.Config) if f.default is not MISSING}


def _app(url: str, model: Model, source: dict[str, bytes], trust: bool) -> App:
    app = _private(url, model, source, trust) if model.private else load_app(model.app)
    if app.predict is None or app.task is None:
        raise UsageError(f"{url}: the app {app.name} has no predict any more")
    _refuse_other(url, model, app, app.task)
    return app


def _refuse_other(url: str, model: Model, app: App, task: Task) -> None:
    """DataError for a model that its app can't have made: somebody has edited model.json."""
    if model.task != task.name:
        raise damaged(url, NAME, f"is wrong: task is {model.task!r}, and app {app.name} does {task.name}")
    if model.schema.user is not None and task.label != "rating":
        raise damaged(url, NAME, f"is wrong: schema.user is {model.schema.user!r}, and app {app.name} takes no ratings")
    try:
        task.refuse(model.schema)
    except UsageError as error:
        raise damaged(url, NAME, f"is wrong: schema: {error}") from error
    for name, hint in hints(app.Config).items():
        if name in model.config and (said := fault(f"config.{name}", model.config[name], hint)):
            raise damaged(url, NAME, f"is wrong: {said}")


def _private(url: str, model: Model, source: dict[str, bytes], trust: bool) -> App:
    if _own(url, model, source):
        return load_private(model.app, model.home, Path(model.home))
    if not trust:
        raise UsageError(
            f"{url}: this model brings its own code (app {model.app}); if you trust whoever made it, open it with "
            f"trust=True (--trust)"
        )
    if digest(source) != model.code:
        raise UsageError(f"{url}: the code beside this model isn't what it was saved with")
    scratch = Path(tempfile.mkdtemp(prefix="yarnml-app-"))
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)  # the process may import from it until then
    folder = scratch / model.app
    for name, text in source.items():
        target = folder / name
        if not target.resolve().is_relative_to(folder.resolve()):
            raise UsageError(f"{url}: the code beside this model has a file outside its folder: {name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    return load_private(model.app, url, folder)


def _own(url: str, model: Model, source: dict[str, bytes]) -> bool:
    """Whether this user's own code, in the folder where the model was made, is what came with the model.

    Files of others, and those beside the model itself, say nothing about who wrote it.
    """
    home = Path(model.home)
    if not (home.is_absolute() and (home / "app.py").is_file()) or home.is_relative_to(str(open_fs(url)[1])):
        return False
    if any(not (home / name).is_file() or (home / name).stat().st_uid != os.getuid() for name in source):
        return False
    return digest(read_source(home)) == digest(source) == model.code
