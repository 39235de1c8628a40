"""`yarnml plot`: which panels, of which runs, and where the picture is."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnml.cli import main, plot
from yarnml.job import Job
from yarnml.monitor.metric import metrics
from yarnml.runs import RunDir


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    kept = str(tmp_path / "runs")
    for name, told in (("mlr-1", {"loss": 0.5, "rows": 7}), ("mlr-2", {"loss": 0.4, "gap": 0.1}), ("mlr-3", {})):
        run = RunDir.create(Job(run=name, runs=kept, app="mlr"))
        for clock in range(3):
            run.append(metrics({"clock": clock, **told}, worker=0, time=run.record().started + clock))
    return kept


def panels(monkeypatch: pytest.MonkeyPatch, *args: str) -> dict[str, list[str]]:
    """What is drawn: the runs in each panel."""
    drawn = {}
    monkeypatch.setattr(plot, "draw", lambda file, panels, x: drawn.update({k: list(v) for k, v in panels.items()}))
    assert main(["plot", *args]) == 0
    return drawn


def test_a_run_s_picture_is_named_after_it(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plot", "mlr-2", "--runs", runs]) == 0
    file = Path(capsys.readouterr().out.strip())
    assert (file, file.read_bytes()[1:4]) == (Path("mlr-2.png"), b"PNG")


def test_runs_are_compared_by_what_they_have_learned(runs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = panels(monkeypatch, "mlr-1", "mlr-2", "mlr-3", "--runs", runs)
    assert drawn == {"loss": ["mlr-1", "mlr-2"], "gap": ["mlr-2"]}
    assert panels(monkeypatch, "mlr-1", "--of", "rows", "--x", "clock", "--runs", runs) == {"rows": ["mlr-1"]}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "say which run to plot"),
        (["mlr-9"], "run 'mlr-9': not found"),
        (["mlr-3"], "nothing is reported by seconds in mlr-3 yet"),
        (["mlr-1", "--x", "epoch"], "nothing is reported by epoch in mlr-1; try --x seconds"),
        (["mlr-1", "mlr-2", "--of", "los"], "--of los: not reported by mlr-1, mlr-2; did you mean 'loss'?"),
        (["mlr-1", "--out", "no/a.png"], "no/a.png: can't be drawn"),
    ],
)
def test_what_cannot_be_drawn(args: list[str], said: str, runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plot", *args, "--runs", runs]) == 2
    assert said in capsys.readouterr().err
