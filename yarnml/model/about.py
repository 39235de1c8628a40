"""About: model.json, which says what a model is and which arrays lie beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from hdfs_io import DataError, Schema, exists, join, read_text
from hdfs_io.whole import present
from yarnml.config import hints
from yarnml.errors import UsageError
from yarnml.model.arrays import PLAIN_MEANS, ArrayFile, damaged, plain
from yarnml.model.model import Model
from yarnml.model.stated import fault

FORMAT = 2  # what this release writes; it reads every older one. Since 2 the arrays' shapes and dtypes are said
NAME = "model.json"
Named = dict[str, Any]
ALWAYS = {"format": int, "app": str, "task": str, "schema": Schema, "config": Named, "arrays": Named}
LATER = {
    "version": str, "code": str, "private": bool, "home": str, "metrics": dict[str, dict[str, float]],
    "notes": list[str], "run": str,
}  # fmt: skip
FIELDS = ("app", "task", "config", *LATER)  # those of a Model that are JSON as they are


def describe(model: Model) -> str:
    """What model.json says of this model."""
    arrays = {name: ArrayFile.of(name, np.asarray(array)).to_json() for name, array in model.arrays.items()}
    fields = {name: getattr(model, name) for name in FIELDS}
    return json.dumps({"format": FORMAT, **fields, "schema": model.schema.to_json(), "arrays": arrays}, indent=1)


def read_about(url: str) -> tuple[Model, dict[str, ArrayFile]]:
    """The model at `url` without its arrays, and where these are; DataError if that can't be known."""
    about = _parsed(url)
    _refuse_newer(url, about)
    _refuse_lacking(url, about)
    _refuse_app(url, about)
    return _model(url, about), _arrays(url, about["arrays"])


def _parsed(url: str) -> dict[str, Any]:
    if not present(url) or not exists(join(url, NAME)):
        raise DataError(f"{url}: no model here (there is no {NAME})")
    try:
        about = json.loads(read_text(join(url, NAME)))
    except (ValueError, RecursionError) as error:
        raise damaged(url, NAME, f"isn't JSON ({error})") from error
    except OSError as error:
        raise DataError(f"{url}: {NAME} can't be read: {error}") from error
    if not isinstance(about, dict):
        raise damaged(url, NAME, "is no JSON object")
    return about


def _refuse_newer(url: str, about: Mapping[str, Any]) -> None:
    """UsageError, before anything else is asked of what another release may have written otherwise."""
    written = about.get("format")
    if isinstance(written, int) and written > FORMAT:
        raise UsageError(f"{url}: this model has format {written}, and this yarnml reads up to {FORMAT}; update yarnml")


def _refuse_lacking(url: str, about: Mapping[str, Any]) -> None:
    lacking = ", ".join(repr(name) for name in ALWAYS if name not in about)
    if lacking:
        raise damaged(url, NAME, f"lacks {lacking}")
    for name, kind in (ALWAYS | LATER).items():
        if name in about and (said := fault(name, about[name], kind)):
            raise damaged(url, NAME, f"is wrong: {said}")


def _refuse_app(url: str, about: Mapping[str, Any]) -> None:
    """DataError if model.json, which anybody may have written, leads to another place than an app's."""
    app, private = about["app"], about.get("private", False)
    if "/" in app or app in ("", ".", "..") or (app.startswith(".") and not private):
        raise DataError(f"{url}: {NAME} names the app {app!r}; an app is named by its name, not by a path")


def _model(url: str, about: Mapping[str, Any]) -> Model:
    fields = {name: about[name] for name in FIELDS if name in about}
    fields["notes"] = tuple(fields.get("notes", ()))
    schema = Schema.from_json(about["schema"])
    if said := _odd(schema):
        raise damaged(url, NAME, f"is wrong: schema.{said}")
    return Model(**fields, schema=schema, arrays={}, url=url)


def _odd(schema: Schema) -> str:
    """What in a schema contradicts another part of it; "" if nothing does."""
    width, inputs, label = schema.width, schema.inputs or (), schema.label
    lengths = {"features": schema.features, "means": schema.means}
    for name, each in lengths.items():
        if each is not None and len(each) != width:
            return f"{name} has {len(each):,} entries, and schema.width is {width:,}"
    if schema.inputs is not None and sum(each.width for each in inputs) != width:
        return f"inputs make {sum(each.width for each in inputs):,} features, and schema.width is {width:,}"
    for k, one in enumerate(inputs):
        if one.words is not None and len(one.words) != one.width:
            return f"inputs[{k}].words has {len(one.words):,} entries, and schema.inputs[{k}].width is {one.width:,}"
    if schema.missing == "mean" and schema.means is None:
        return "means is null, and schema.missing is 'mean'"
    if label is not None and label.counts is not None and len(label.counts) != len(label.classes or ()):
        return f"label.counts has {len(label.counts):,} entries, and there are {len(label.classes or ()):,} classes"
    return ""


def _arrays(url: str, named: Mapping[str, Any]) -> dict[str, ArrayFile]:
    """Where each array is; DataError if that is out of the model's directory."""
    arrays = {}
    for name, value in named.items():
        if not isinstance(value, str) and (said := _array_fault(f"arrays.{name}", value)):
            raise damaged(url, NAME, f"is wrong: {said}")
        arrays[name] = ArrayFile.from_json(value)
        file = arrays[name].file
        if not plain(name) or not plain(file):
            raise DataError(f"{url}: {NAME} names an array {name!r} in the file {file!r}; {PLAIN_MEANS}")
    return arrays


def _array_fault(where: str, value: Any) -> str:
    said = fault(where, value, ArrayFile)
    return said or next((f"{where} lacks {part!r}" for part in hints(ArrayFile) if part not in value), "")
