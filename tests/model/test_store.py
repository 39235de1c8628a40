"""A model comes back from any store as it was; what can't be read is refused by name."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from hdfs_io import DataError, Label, Schema, exists, read_text, write_text
from hdfs_io.store import read_bytes, remove, write_bytes
from yarnml.errors import UsageError
from yarnml.model import Model, load_model, load_outline, save_model


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


@pytest.mark.parametrize("written", [1, 2])
def test_a_model_of_each_format_opens(written: int) -> None:
    model, _ = load_model(str(Path(__file__).parent / f"format_{written}"))
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


@pytest.mark.parametrize("app", ["/evil", "../evil", ".evil", ""])
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


def npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


W = np.arange(8.0).reshape(4, 2)
WHOLE = npy(W)
ARRAYS = {
    "missing": (None, "is missing"),
    "empty": (b"", "is no whole .npy file"),
    "another kind of file": (b"PK\x03\x04, a zip file", "is no whole .npy file"),
    "cut in its header": (WHOLE[:20], "is no whole .npy file"),
    "cut in its numbers": (WHOLE[:-8], "is no whole .npy file"),
    "beyond memory": (WHOLE.replace(b"(4, 2), }            ", b"(4000000000000, 2), }"), "is no whole .npy file"),
    "fewer columns": (npy(W[:, :1]), "has the shape (4, 1), and model.json says (4, 2)"),
    "fewer rows": (npy(W[:3]), "has the shape (3, 2), and model.json says (4, 2)"),
    "another dtype": (npy(W.astype(np.float32)), "has the dtype <f4, and model.json says <f8"),
    "words": (npy(W.astype(str)), "has the dtype <U32, and model.json says <f8"),
    "a header beyond reason": (WHOLE[:8] + b"\xff\xff" + b" " * 70_000, "is no whole .npy file (Header info length"),
    "objects": (npy(W.astype(object)), "is no whole .npy file (Object arrays cannot be loaded"),
    "nan": (npy(np.where(W > 5, np.nan, W)), "holds 2 numbers of 8 that are nan or inf"),
    "inf": (npy(np.where(W == 5, np.inf, W)), "holds 1 numbers of 8 that are nan or inf"),
}


@pytest.mark.parametrize("damage", ARRAYS)
def test_a_damaged_array_is_refused_with_its_file(url: str, model: Model, damage: str) -> None:
    data, says = ARRAYS[damage]
    save_model(model, url)
    if data is None:
        remove(f"{url}/W.npy")
    else:
        write_bytes(f"{url}/W.npy", data)
    refused(url, "W.npy", says, load_model)


ABOUT: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a list": (lambda about: [], "is no JSON object"),
    "no schema": (lambda about: without(about, "schema"), "lacks 'schema'"),
    "no app, no arrays": (lambda about: without(about, "app", "arrays"), "lacks 'app', 'arrays'"),
    "another kind": (lambda about: {**about, "config": 3}, "is wrong: config is 3, and should be a JSON object"),
    "an app that is no text": (lambda about: {**about, "app": 3}, "is wrong: app is 3, and should be a text"),
    "half a schema": (lambda about: {**about, "schema": {"width": 3}}, "is wrong: schema lacks 'sparse'"),
    "a label of another kind": (
        lambda about: {**about, "schema": {**about["schema"], "label": 3}},
        "is wrong: schema.label is 3, and should be a JSON object or null",
    ),
    "half an array": (
        lambda about: {**about, "arrays": {"W": {"file": "W.npy"}}},
        "is wrong: arrays.W lacks 'shape'",
    ),
    "no array": (
        lambda about: {**about, "arrays": {"W": None}},
        "is wrong: arrays.W is None, and should be a JSON object",
    ),
}


@pytest.mark.parametrize("damage", ABOUT)
def test_a_damaged_description_is_refused(url: str, model: Model, damage: str) -> None:
    change, says = ABOUT[damage]
    save_model(model, url)
    write_text(f"{url}/model.json", json.dumps(change(json.loads(read_text(f"{url}/model.json")))))
    refused(url, "model.json", says, load_model, load_outline)


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xfe", b"[" * 100_000])
def test_a_description_that_is_no_json_is_refused(url: str, model: Model, text: bytes) -> None:
    save_model(model, url)
    write_bytes(f"{url}/model.json", text)
    refused(url, "model.json", "isn't JSON", load_model, load_outline)


def refused(url: str, file: str, says: str, *opens: Callable[[str], Any]) -> None:
    """Each way to open it names the model, the file, and what to do."""
    for opened in opens:
        with pytest.raises(DataError) as error:
            opened(url)
        assert str(error.value).startswith(f"{url}: {file} {says}")
        assert "\n" not in str(error.value)
        assert str(error.value).endswith("; train the model anew, or copy it again")


def without(about: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in about.items() if name not in names}


def test_shapes_and_dtypes_are_kept(url: str, model: Model) -> None:
    model.arrays.update(word=np.array(["a", "bc"]), none=np.zeros((0, 3), np.float16), one=np.array(2 + 1j))
    save_model(model, url)
    again, _ = load_model(url)
    assert same(model, again)
    assert [each.dtype for each in again.arrays.values()] == [each.dtype for each in model.arrays.values()]
    assert json.loads(read_text(f"{url}/model.json"))["arrays"]["W"] == {
        "file": "W.npy",
        "shape": [4, 2],
        "dtype": "<f8",
    }


def test_any_byte_of_an_array_may_be_wrong(url: str, model: Model) -> None:
    """It is refused or still an array of that shape and dtype, of finite numbers: never another error."""
    save_model(model, url)
    whole = read_bytes(f"{url}/W.npy")
    for at in range(len(whole)):
        for flip in (1, 16, 128):
            write_bytes(f"{url}/W.npy", whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :])
            try:
                found = load_model(url)[0]["W"]
            except DataError as error:
                assert "W.npy" in str(error)  # noqa: PT017
            else:
                assert found.shape == (4, 2)
                assert found.dtype == np.float64
                assert np.isfinite(found).all()
