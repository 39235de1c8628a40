"""A model comes back from any store as it was; what can't be read is refused by name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from hdfs_io import DataError, Label, Schema, exists, read_text, write_text
from yarnml.errors import UsageError
from yarnml.model import Model, load_model, load_outline, save_model

OLD = Path(__file__).parent / "format_1"


@pytest.fixture(params=["file", "memory"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "model") if request.param == "file" else f"memory://{uuid4()}/model"


@pytest.fixture
def model() -> Model:
    return Model(
        app="mlr", task="classification", schema=Schema(sparse=True, width=3, base=1, label=Label("y", ("no", "yes"))),
        config={"lr": 0.5, "batch": None}, arrays={"W": np.arange(8.0).reshape(4, 2), "n": np.array([7])},
        version="1", code="abc", home="/home/me/app", metrics={"test": {"accuracy": 0.5}}, notes=("a remark",),
    )  # fmt: skip


def same(a: Model, b: Model) -> bool:
    fields = ("app", "task", "schema", "config", "version", "code", "private", "home", "metrics", "notes")
    arrays = a.arrays.keys() == b.arrays.keys() and all(np.array_equal(a[name], b[name]) for name in a.arrays)
    return arrays and all(getattr(a, name) == getattr(b, name) for name in fields)


def test_comes_back_as_it_was(url: str, model: Model) -> None:
    save_model(model, url)
    again, source = load_model(url)
    assert same(model, again)
    assert source == {}
    outline, source = load_outline(url)
    assert same(replace(outline, arrays=model.arrays), model)
    assert outline.arrays == source == {}


def test_a_private_apps_source_comes_along(url: str, model: Model) -> None:
    source = {"app.py": b"x = 1\n", "deep/er.py": b""}
    save_model(replace(model, private=True), url, source=source)
    assert load_model(url)[1] == source


def test_nothing_is_overwritten_unless_asked(url: str, model: Model) -> None:
    save_model(model, url)
    with pytest.raises(DataError, match="exists"):
        save_model(model, url)
    save_model(model, url, overwrite=True)
    assert same(load_model(url)[0], model)


def test_a_failed_save_leaves_nothing(tmp_path: Path, model: Model) -> None:
    model.arrays["bad"] = np.array([object()])
    with pytest.raises(ValueError, match="allow_pickle"):
        save_model(model, str(tmp_path / "model"))
    assert list(tmp_path.iterdir()) == []


def test_a_newer_format_is_refused_by_name(url: str, model: Model) -> None:
    save_model(model, url)
    about = json.loads(read_text(f"{url}/model.json"))
    write_text(f"{url}/model.json", json.dumps({**about, "format": 99}))
    with pytest.raises(UsageError, match="format 99"):
        load_model(url)


def test_no_model_there(tmp_path: Path) -> None:
    assert not exists(str(tmp_path / "nothing"))
    with pytest.raises(DataError, match=r"no model here"):
        load_model(str(tmp_path / "nothing"))


def test_a_model_of_format_1_still_opens() -> None:
    model, _ = load_model(str(OLD))
    assert model.app == "mlr"
    assert model.schema.label == Label("y", ("no", "yes"))
    np.testing.assert_array_equal(model["W"], np.array([[1, -1], [0, 2], [0.5, -0.5]], np.float32))


@pytest.mark.parametrize("name", ["../../evil", "/evil", ".hidden", "a/b", "", "a\nb", "x" * 101])
def test_arrays_have_plain_names(tmp_path: Path, model: Model, name: str) -> None:
    url = str(tmp_path / "deep" / "er" / "model")
    model.arrays[name] = np.zeros(1)
    with pytest.raises(UsageError, match="app mlr: model\\(\\) names an array"):
        save_model(model, url)
    assert list(tmp_path.iterdir()) == []
    del model.arrays[name]
    save_model(model, url)
    about = json.loads(read_text(f"{url}/model.json"))
    for arrays in ({name: "W.npy"}, {"W": f"{name}/W.npy"}):
        write_text(f"{url}/model.json", json.dumps({**about, "arrays": arrays}))
        with pytest.raises(DataError, match=r"model\.json names an array"):
            load_model(url)


@pytest.mark.parametrize("app", ["/evil", "../evil", ".evil", "", 3])
def test_a_model_names_its_app_by_name(url: str, model: Model, app: object) -> None:
    save_model(model, url)
    about = json.loads(read_text(f"{url}/model.json"))
    write_text(f"{url}/model.json", json.dumps({**about, "app": app}))
    with pytest.raises(DataError, match="names the app"):
        load_model(url)


def test_a_crash_while_overwriting_is_mended_by_who_opens_it(tmp_path: Path, model: Model) -> None:
    save_model(model, str(tmp_path / "m"))
    (tmp_path / "m").rename(tmp_path / ".m.yarnml-old-1-aa")
    assert same(load_model(str(tmp_path / "m"))[0], model)
