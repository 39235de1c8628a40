"""Store: a model as files: model.json, an .npy file beside it for each array, and a private app's source."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hdfs_io import DataError, Schema, exists, join, open_fs, read_text, whole, write_text
from hdfs_io.whole import present
from yarnml.errors import UsageError
from yarnml.model.model import Model

FORMAT = 1  # what this release writes; it reads every older one
PLAIN_MEANS = "a name is made of letters, digits, spaces and _ . + -, begins with a letter, digit or _, and is short"
FIELDS = ("app", "version", "code", "private", "home", "task", "config", "metrics", "notes", "run")


def save_model(model: Model, url: str, source: Mapping[str, bytes] | None = None, overwrite: bool = False) -> None:
    """Write `model` to the directory `url`, whole or not at all; `source` is a private app's files by name."""
    for name in model.arrays:
        if not plain(name):
            raise UsageError(f"app {model.app}: model() names an array {name!r}; {PLAIN_MEANS}")
    with whole(url, overwrite=overwrite) as staging:
        fs, path = open_fs(staging)
        fs.makedirs(path, exist_ok=True)
        for name, array in model.arrays.items():
            fs.pipe_file(join(path, f"{name}.npy"), _npy(array))
        for name, text in (source or {}).items():
            target = join(path, f"code/{name}")
            fs.makedirs(target.rsplit("/", 1)[0], exist_ok=True)
            fs.pipe_file(target, text)
        write_text(join(staging, "model.json"), json.dumps(_describe(model), indent=1))


def load_model(url: str) -> tuple[Model, dict[str, bytes]]:
    """A saved model, not yet bound to its app, and the private app's source that came with it."""
    about = _read(url)
    fs, path = open_fs(url)
    arrays = {name: np.load(io.BytesIO(fs.cat_file(join(path, file))), allow_pickle=False)
              for name, file in about["arrays"].items()}  # fmt: skip
    model, source = _outline(url, about)
    return replace(model, arrays=arrays), source


def load_outline(url: str) -> tuple[Model, dict[str, bytes]]:
    """The same without the arrays: what must be known before anything large is read."""
    return _outline(url, _read(url))


def _outline(url: str, about: dict[str, Any]) -> tuple[Model, dict[str, bytes]]:
    fields = {name: about[name] for name in FIELDS if name in about}
    fields["notes"] = tuple(fields.get("notes", ()))
    model = Model(**fields, schema=Schema.from_json(about["schema"]), arrays={})
    fs, path = open_fs(url)
    return model, _source(fs, join(path, "code")) if model.private else {}


def _describe(model: Model) -> dict[str, Any]:
    arrays = {name: f"{name}.npy" for name in model.arrays}
    fields = {name: getattr(model, name) for name in FIELDS}
    return {"format": FORMAT, **fields, "schema": model.schema.to_json(), "arrays": arrays}


def plain(name: Any) -> bool:
    """Whether a name can be that of an array, and of its file in the model's directory."""
    return isinstance(name, str) and re.fullmatch(r"\w[\w .+-]{0,99}", name) is not None


def _refuse_names(url: str, about: dict[str, Any]) -> None:
    """DataError if model.json, which anybody may have written, leads out of the model's directory."""
    for name, file in about["arrays"].items():
        if not plain(name) or not plain(file):
            raise DataError(f"{url}: model.json names an array {name!r} in the file {file!r}; {PLAIN_MEANS}")
    app, private = about["app"], about.get("private", False)
    if not isinstance(app, str) or "/" in app or app in ("", ".", "..") or (app.startswith(".") and not private):
        raise DataError(f"{url}: model.json names the app {app!r}; an app is named by its name, not by a path")


def _read(url: str) -> dict[str, Any]:
    if not present(url) or not exists(join(url, "model.json")):
        raise DataError(f"{url}: no model here (there is no model.json)")
    try:
        about: dict[str, Any] = json.loads(read_text(join(url, "model.json")))
    except ValueError as error:
        raise DataError(f"{url}: model.json isn't JSON: {error}") from error
    if about.get("format", 0) > FORMAT:
        raise UsageError(
            f"{url}: this model has format {about['format']}, and this yarnml reads up to {FORMAT}; update yarnml"
        )
    _refuse_names(url, about)
    return about


def _npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _source(fs: Any, path: str) -> dict[str, bytes]:
    names = [name for name in fs.find(path) if name.endswith(".py")]
    base = fs._strip_protocol(path).rstrip("/") + "/"
    return {name.removeprefix(base): bytes(fs.cat_file(name)) for name in names}
