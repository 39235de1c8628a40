"""A state directory is made, refused and removed with care."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from yarnml.cluster import down
from yarnml.cluster.layout import Layout, read_json
from yarnml.errors import UsageError, YarnmlError


@pytest.mark.parametrize("name", ["a b", "a,b", "a:b", "$HOME", "a%b", "ä", "a*", "{{a}}", "a\nb"])
def test_a_path_that_hadoop_takes_apart_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="can't be a cluster's directory"):
        Layout.at(tmp_path / name)


def test_the_default_is_in_the_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/nowhere")
    assert Layout.at(None).root == Path("/nowhere/.yarnml/cluster")


@pytest.mark.parametrize("name", ["thesis.tex", "bin"])
def test_a_directory_that_holds_something_else_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(UsageError, match=rf"isn't empty \({name}\)"):
        Layout.at(tmp_path).claim()
    with pytest.raises(UsageError, match="isn't a cluster's directory; nothing in it was touched"):
        down(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=3 << 20))
    with pytest.raises(YarnmlError, match=r"the disk of .* is full: 3 MB free, 512 MB needed"):
        Layout.at(tmp_path).claim()


def test_erase_removes_what_is_the_clusters_and_nothing_else(tmp_path: Path) -> None:
    layout = Layout.at(tmp_path / "state")
    layout.root.mkdir()
    layout.make()
    layout.record.write_text("{}")
    (layout.root / ".cluster.json.123").touch()  # as a killed process leaves it
    (layout.part("hdfs") / "block").touch()
    layout.erase(keep=("hdfs",))
    assert {p.name for p in layout.root.iterdir()} == {"hdfs", "cluster.json", ".cluster.json.123"}
    (layout.root / "thesis.tex").touch()
    layout.erase()
    assert [p.name for p in layout.root.iterdir()] == ["thesis.tex"]
    (layout.root / "thesis.tex").unlink()
    layout.erase()
    assert not layout.root.exists()


def test_a_damaged_file_is_said_and_a_missing_one_is_none(tmp_path: Path) -> None:
    assert read_json(tmp_path / "x") is None
    (tmp_path / "x").write_text('{"a"')
    with pytest.raises(YarnmlError, match="is damaged"):
        read_json(tmp_path / "x")
