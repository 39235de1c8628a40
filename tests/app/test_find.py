"""Apps are found by name or path, and what is wrong with one is said by name."""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path

import pytest

from yarnml.app import app_names, load_app
from yarnml.app.find import digest, read_source
from yarnml.errors import UsageError

BODY = """
from dataclasses import dataclass
from yarnml.app import AppConfig
{extra}
@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    n: int = 3
"""


def write(folder: Path, app: str, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "app.py").write_text(app)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def test_every_app_that_came_along_is_named_and_loads() -> None:
    assert {"mlr", "kmeans", "predict"} <= set(app_names())
    for name in app_names():
        app = load_app(name)
        assert app.name == app.ref == name
        assert app.about
        assert not app.private


def test_a_misspelt_name_names_the_near_one() -> None:
    with pytest.raises(UsageError, match=r"'mrl'.*'mlr'"):
        load_app("mrl")


def test_a_folder_in_the_way_of_a_name_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "mine", BODY.format(extra="") + "def work(me, cfg): ...")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"\./mine"):
        load_app("mine")
    assert load_app("./mine").name == "mine"


def test_a_copy_of_an_app_anywhere_is_an_app(tmp_path: Path) -> None:
    mlr = load_app("mlr")
    home = Path(import_module("yarnml_apps").__path__[0])
    shutil.copytree(home / "mlr", tmp_path / "my copy", ignore=shutil.ignore_patterns("__pycache__"))
    copy = load_app(str(tmp_path / "my copy"))
    assert copy.private
    assert copy.name == "my copy"
    assert copy.code == mlr.code
    assert copy.about == mlr.about
    assert copy.Config is not mlr.Config


def test_relative_imports_work_and_an_edit_is_seen(tmp_path: Path) -> None:
    app = BODY.format(extra="from .helper import VALUE") + "def work(me, cfg): return {'value': VALUE}"
    folder = write(tmp_path / "app", app, helper="VALUE = 1")
    first = load_app(str(folder))
    (folder / "helper.py").write_text("VALUE = 2")
    second = load_app(str(folder))
    assert [dict(app.work(None, None) or {}) for app in (first, second)] == [{"value": 1}, {"value": 2}]  # type: ignore[arg-type]
    assert first.code != second.code


@pytest.mark.parametrize(
    ("app", "said"),
    [
        (BODY.format(extra="") + "def wrok(me, cfg): ...", "defines no work.*'wrok'"),
        ("def work(me, cfg): ...", "defines no Config"),
        ("class Config: ...\ndef work(me, cfg): ...", "derived from yarnml.app.AppConfig"),
        (BODY.format(extra="") + "def work(me, cfg): ...\ndef predict(model, batch): ...", "needs a task"),
    ],
)
def test_what_an_app_lacks_is_said_by_name(tmp_path: Path, app: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        load_app(str(write(tmp_path / "app", app)))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"app": "x = (\n"}, r"app\.py:1: SyntaxError: '\(' was never closed"),
        ({"app": "\nimport not_there_at_all"}, r"app\.py:2: ModuleNotFoundError: No module named 'not_there_at_all'"),
        ({"app": "\n\nfrom . import helper", "helper": "\nx = 1 / 0"}, r"helper\.py:2: ZeroDivisionError: division"),
        ({"app": "import sys\nsys.exit('a\\nb')"}, r"app\.py:2: SystemExit: a b$"),
        ({"app": "", "__init__": "x"}, r"__init__\.py:1: NameError"),
    ],
)
def test_an_app_that_cant_be_imported_is_said_with_file_and_line(
    tmp_path: Path, files: dict[str, str], said: str
) -> None:
    folder = write(tmp_path / "app", **files)
    for _ in range(2):  # a second try finds nothing half done
        with pytest.raises(UsageError, match=said):
            load_app(str(folder))


def test_a_folder_without_an_app(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds app\.py"):
        load_app(str(tmp_path))


def test_an_apps_digest_is_of_its_names_and_texts(tmp_path: Path) -> None:
    folder = write(tmp_path / "app", "x", helper="y")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "app.py").write_text("z")
    source = read_source(folder)
    assert source == {"app.py": b"x", "helper.py": b"y"}
    assert digest(source) != digest({"app.py": b"y", "helper.py": b"x"})
    assert digest(source) != digest({"app.py": b"xhelper.py", "": b"y"})
