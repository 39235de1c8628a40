"""Tab completion: commands, apps, flags, runs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from yarnml.cli.catalog import folders
from yarnml.cli.completion import SCRIPTS, words
from yarnml.job import Job
from yarnml.runs import RunDir


@pytest.fixture
def app(tmp_path: Path) -> str:
    (tmp_path / "app.py").write_text(
        "class Config(AppConfig):\n    epochs: int = 3  # passes\n    batch_size: int = 64\n\nraise SystemExit\n"
    )
    return str(tmp_path)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (["ap"], ["apps"]),
        (["data", ""], ["copy", "convert", "head", "describe"]),
        (["cluster", "u"], ["up"]),
        (["cluster", "up", "--n"], ["--nodes"]),
        (["cluster", "down", "--"], ["--state", "--keep"]),
        (["run", "mlr", "--bad-rows", ""], ["stop", "skip"]),
        (["predict", "model", "--missing", "z"], ["zero"]),
        (["run", "--r"], ["--resume"]),
        (["env", ""], ["list", "clean"]),
        (["data", "copy", ""], []),
        (["completion", ""], ["bash", "zsh"]),
    ],
)
def test_words(typed: list[str], found: list[str]) -> None:
    assert words(typed) == found


def test_flags_of_an_app_that_is_not_even_imported(app: str) -> None:
    assert words(["run", app, "--bat"]) == ["--batch-size"]
    assert words(["run", app, "--lab"]) == ["--label"]
    assert words(["run", app, "--que"]) == []
    assert words(["submit", app, "--que"]) == ["--queue"]
    assert words(["run", app, "--data", ""]) == []  # a file's name: the shell knows better


def test_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    RunDir.create(Job(run="mlr-1", runs=str(tmp_path / ".yarnml" / "runs"), app="mlr"))
    for typed in (["kill"], ["plot", "mlr-1"], ["run", "--resume"], ["run", "mlr", "--resume"]):
        assert words([*typed, "m"]) == ["mlr-1"]


@pytest.mark.parametrize("shell", sorted(SCRIPTS))
def test_scripts_are_sound(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    subprocess.run([shell, "-n"], input=SCRIPTS[shell], text=True, check=True, timeout=30)


def test_apps_of_yarnmls_own_are_not_among_those_for_people() -> None:
    assert {"mlr", "predict"} <= set(folders())
    assert not [name for name in folders() if name.startswith("_")]
