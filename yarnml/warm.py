"""Warm: whether a run can begin with what the model of --start-from has learned."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from hdfs_io import Schema
from yarnml.app import App
from yarnml.errors import UsageError
from yarnml.model import Model, load_model
from yarnml.ps import TableSpec


def refuse_start(url: str, app: App, config: Any, schema: Schema | None, specs: Sequence[TableSpec]) -> None:
    """UsageError if a run of `app` on data of this schema can't begin with the model at `url`."""
    model = load_model(url)[0]
    why = _other_columns(model.schema, schema)
    if not why and app.check_start is None:
        why = _other_tables(model, app, specs)
    elif not why and model.app != app.name:
        why = f"is a model of {model.app}, not of {app.name}"
    if why:
        raise UsageError(f"--start-from {url}: {why}")
    if app.check_start is not None and schema is not None:
        try:
            app.check_start(config, schema, model)
        except UsageError as error:
            raise UsageError(f"--start-from {url}: {error}") from error


def _other_columns(was: Schema, now: Schema | None) -> str:
    """Why what was learned of the data's columns would be taken for something else here; "" if it wouldn't."""
    if now is None:
        return ""
    if was.features and now.features and was.features != now.features:
        pairs = zip_longest(was.features, now.features)
        there, here = next((there, here) for there, here in pairs if there != here)
        return f"feature {there!r} there is {here!r} here; start from a model of such data"
    classes = [None if each.label is None else each.label.classes for each in (was, now)]
    if all(classes) and classes[0] != classes[1]:
        there, here = (", ".join(map(str, each or ())) for each in classes)
        return f"its classes are {there}, and the data's are {here}; start from a model of such data"
    return ""


def _other_tables(model: Model, app: App, specs: Sequence[TableSpec]) -> str:
    """Why no table can begin with the model's array of its name; "" if one can."""
    arrays = model.arrays
    for spec in specs:
        if spec.name in arrays and arrays[spec.name].shape != spec.shape:
            shapes = f"{arrays[spec.name].shape} there and {spec.shape} here"
            return f"{spec.name!r} has the shape {shapes}; start from a model of such data"
    if any(spec.name in arrays for spec in specs):
        return ""
    tables = ", ".join(spec.name for spec in specs) or "none"
    return f"holds {', '.join(arrays)}, and the tables of {app.name} are {tables}: nothing would begin with it"
