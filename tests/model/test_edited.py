"""A model.json that somebody edited: whatever is dropped, renamed or of another type is named, or does no harm."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import yarnml
from hdfs_io import DataError
from yarnml.errors import UsageError

OTHERS: tuple[Any, ...] = (None, True, 7, -1, 0.5, "other", [], ["a"], [1], {}, {"a": 1})
Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Saved:
    """A model of some app, and how it is used."""

    url: Path
    about: dict[str, Any]
    use: Callable[[Any], object]


def use_rows(model: Any) -> None:
    model.predict(np.ones((2, model.schema.width), np.float32))
    model.summary()


def use_ratings(model: Any) -> None:
    model.predict([["u1", "i1"], ["nobody", "i2"]])
    model.recommend(["u1"], 2)
    model.summary()


APPS: dict[str, tuple[str, dict[str, Any], Callable[[Any], object]]] = {
    "mlr": ("a,b,y\n" + "1,red,no\n2,blue,yes\n3,,no\n" * 8, {"label": "y", "epochs": 1, "missing": "mean"}, use_rows),
    "lasso": ("a,b,y\n" + "1,2,3.5\n2,1,4.5\n3,3,1\n" * 8, {"label": "y"}, use_rows),
    "kmeans": ("a,b\n" + "1,2\n2,1\n8,9\n" * 8, {"k": 2}, use_rows),
    "mf": (
        "user,item,rating\n" + "u1,i1,3\nu2,i1,4\nu1,i2,5\nu3,i3,1\n" * 4,
        {"user": "user", "item": "item", "rating": "rating", "k": 2, "epochs": 2},
        use_ratings,
    ),
    "lda": ("a,b,c\n" + "1,2,0\n2,1,1\n0,3,4\n" * 8, {"k": 2, "epochs": 2}, use_rows),
}


@pytest.fixture(
    scope="module",
    params=[name if name in ("mlr", "mf") else pytest.param(name, marks=pytest.mark.full) for name in APPS],
)
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Saved:
    folder = tmp_path_factory.mktemp("edited")
    text, options, use = APPS[request.param]
    (folder / "train.csv").write_text(text)
    url = folder / "model"
    yarnml.run(request.param, data=str(folder / "train.csv"), runs=str(folder / "runs"), out=str(url), **options).wait()
    return Saved(url, json.loads((url / "model.json").read_text()), use)


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Of everything in it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*at, key)
        yield from places(each, (*at, key))


def edited(about: dict[str, Any], place: Place, how: int) -> dict[str, Any]:
    """Dropped, renamed, or something else in its place."""
    about = deepcopy(about)
    *way, last = place
    holder: Any = about
    for step in way:
        holder = holder[step]
    if how < len(OTHERS):
        holder[last] = deepcopy(OTHERS[how])
    elif how == len(OTHERS) or isinstance(last, int):
        del holder[last]
    else:
        holder[f"{last}2"] = holder.pop(last)
    return about


def try_it(saved: Saved, place: Place, how: int) -> None:
    file = saved.url / "model.json"
    file.write_text(json.dumps(edited(saved.about, place, how)))
    try:
        model = yarnml.load(saved.url)
    except (DataError, UsageError) as error:
        said = str(error)
        assert said.startswith(f"{saved.url}: ") or "no app" in said, said  # such as it names
        return
    try:
        saved.use(model)
    except (DataError, UsageError):
        pass  # of the rows, or of an array that it has not
    finally:
        file.write_text(json.dumps(saved.about))


@given(st.data())
def test_whatever_is_edited_is_named_or_does_no_harm(saved: Saved, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(sorted(places(saved.about), key=str)))
    try_it(saved, place, data.draw(st.integers(0, len(OTHERS) + 1)))


@pytest.mark.full
def test_each_edit_is_named_or_does_no_harm(saved: Saved) -> None:
    for place in places(saved.about):
        for how in range(len(OTHERS) + 2):
            try:
                try_it(saved, place, how)
            except Exception as error:
                raise AssertionError(f"{place}, {how}: {error!r}") from error
