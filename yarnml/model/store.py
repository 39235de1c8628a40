"""Store: a model as files: model.json, an .npy file beside it for each array, and a private app's source."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from hdfs_io import DataError, join, open_fs, whole, write_text
from yarnml.errors import UsageError
from yarnml.model.about import NAME, describe, read_about
from yarnml.model.arrays import PLAIN_MEANS, npy, plain
from yarnml.model.model import Model


def save_model(model: Model, url: str, source: Mapping[str, bytes] | None = None, overwrite: bool = False) -> None:
    """Write `model` to the directory `url`, whole or not at all; `source` is a private app's files by name."""
    for name in model.arrays:
        if not plain(name):
            raise UsageError(f"app {model.app}: model() names an array {name!r}; {PLAIN_MEANS}")
    with whole(url, overwrite=overwrite) as staging:
        fs, path = open_fs(staging)
        fs.makedirs(path, exist_ok=True)
        for name, array in model.arrays.items():
            fs.pipe_file(join(path, f"{name}.npy"), npy(array))
        for name, text in (source or {}).items():
            target = join(path, f"code/{name}")
            fs.makedirs(target.rsplit("/", 1)[0], exist_ok=True)
            fs.pipe_file(target, text)
        write_text(join(staging, NAME), describe(model))


def load_model(url: str) -> tuple[Model, dict[str, bytes]]:
    """A saved model, not yet bound to its app, and the private app's source that came with it.

    Raises DataError, with the file and what to do, if it isn't whole or its numbers aren't finite.
    """
    model, arrays = read_about(url)
    return replace(model, arrays={name: each.read(url) for name, each in arrays.items()}), _source(url, model)


def load_outline(url: str) -> tuple[Model, dict[str, bytes]]:
    """The same without the arrays: what must be known before anything large is read."""
    model, _ = read_about(url)
    return model, _source(url, model)


def made_by(url: str, run: str) -> bool:
    """Whether there is a whole model at `url`, and the run of this id has saved it."""
    with suppress(DataError, UsageError):
        return load_outline(url)[0].run == run
    return False


def _source(url: str, model: Model) -> dict[str, bytes]:
    if not model.private:
        return {}
    fs, path = open_fs(join(url, "code"))
    names = [name for name in fs.find(path) if name.endswith(".py")]
    base = fs._strip_protocol(path).rstrip("/") + "/"
    return {name.removeprefix(base): bytes(fs.cat_file(name)) for name in names}
