"""Store: a model as files: model.json, an .npy file beside it for each array, and a private app's source."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from hdfs_io import DataError, Schema, exists, join, open_fs, read_text, whole, write_text
from yarnml.errors import UsageError
from yarnml.model.model import Model

FORMAT = 1  # what this release writes; it reads every older one
FIELDS = ("app", "version", "code", "private", "task", "config", "metrics", "notes")


def save_model(model: Model, url: str, source: Mapping[str, bytes] | None = None, overwrite: bool = False) -> None:
    """Write `model` to the directory `url`, whole or not at all; `source` is a private app's files by name."""
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
    fields = {name: about[name] for name in FIELDS if name in about}
    fields["notes"] = tuple(fields.get("notes", ()))
    model = Model(**fields, schema=Schema.from_json(about["schema"]), arrays=arrays)
    return model, _source(fs, join(path, "code")) if model.private else {}


def load_schema(url: str) -> Schema:
    """Only the schema of a saved model: how data for it is read."""
    return Schema.from_json(_read(url)["schema"])


def _describe(model: Model) -> dict[str, Any]:
    arrays = {name: f"{name}.npy" for name in model.arrays}
    fields = {name: getattr(model, name) for name in FIELDS}
    return {"format": FORMAT, **fields, "schema": model.schema.to_json(), "arrays": arrays}


def _read(url: str) -> dict[str, Any]:
    if not exists(join(url, "model.json")):
        raise DataError(f"{url}: no model here (there is no model.json)")
    try:
        about: dict[str, Any] = json.loads(read_text(join(url, "model.json")))
    except ValueError as error:
        raise DataError(f"{url}: model.json isn't JSON: {error}") from error
    if about.get("format", 0) > FORMAT:
        raise UsageError(
            f"{url}: this model has format {about['format']}, and this yarnml reads up to {FORMAT}; update yarnml"
        )
    return about


def _npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _source(fs: Any, path: str) -> dict[str, bytes]:
    names = [name for name in fs.find(path) if name.endswith(".py")]
    base = fs._strip_protocol(path).rstrip("/") + "/"
    return {name.removeprefix(base): bytes(fs.cat_file(name)) for name in names}
