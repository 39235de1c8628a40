"""docs/tutorial.md: its local commands run in their order, its Python too; those for a cluster are commands."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest

from yarnml.cli import main
from yarnml.runs import all_runs

DOCS = Path(__file__).parents[1] / "docs"
TEXT = (DOCS / "tutorial.md").read_text()
LOCAL = TEXT.split("## The same on YARN")[0]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def run_it(command: str, runs: Path) -> None:
    """A command of the text, RUN being the last run that trained."""
    if "RUN" in command:
        run = next(run for run in reversed(all_runs(str(runs))) if run.record().app == "mlr")
        command = command.replace("RUN", run.id)
    words = shlex.split(command)[1:]
    if words[0] != "plot" or find_spec("matplotlib"):
        assert main(words) == 0, command


def test_its_local_part_runs_in_its_order(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pieces = re.findall(r"```python\n(.*?)```|^    (yarnml .*?)$", LOCAL, re.DOTALL | re.MULTILINE)
    assert len([command for _, command in pieces if command]) >= 9
    for code, command in pieces:
        if code:
            exec(code, {})
        else:
            run_it(command, place / ".yarnml" / "runs")
    said = capsys.readouterr()
    assert "test:" in said.out
    assert (place / "models/flowers/model.json").is_file()
    assert (place / "scores.csv").read_text().count("\n") == 91
    accuracy = [float(found) for found in re.findall(r"test: +accuracy ([\d.]+)", said.out)]
    assert len(accuracy) >= 3
    assert min(accuracy) > 0.8


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)]+)\)", TEXT)
    assert len(links) >= 3
    assert all((DOCS / link).exists() for link in links)


def test_its_commands_for_a_cluster_are_commands(capsys: pytest.CaptureFixture[str]) -> None:
    commands = re.findall(r"^    yarnml (\w+)(?: (\w+))?.*$", TEXT.removeprefix(LOCAL), re.MULTILINE)
    assert [" ".join(filter(None, words)) for words in commands] == ["cluster up", "data copy", "submit mlr"]
    flags = set(re.findall(r"(--[\w-]+)", TEXT.removeprefix(LOCAL))) - {"--nodes"}
    assert main(["submit", "mlr", "--help"]) == 0
    shown = capsys.readouterr().out
    assert all(flag in shown for flag in flags), flags
