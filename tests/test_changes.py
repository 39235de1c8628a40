"""What a run that goes on can't be asked otherwise than the run before: refused before anything starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yarnml
from yarnml.app import load_app
from yarnml.cli import main
from yarnml.errors import UsageError
from yarnml.prepare import prepare

DOCUMENTS = "".join(f"2 {i % 5}:3 {5 + i % 3}:2\n" for i in range(40))
CLASSES = "text,y\n" + "".join(f"{'red sun' if i % 2 else 'blue sea'} day,{i % 2}\n" for i in range(40))
RATINGS = "user,item,rating\n" + "".join(f"{i % 8},{i % 5},{1 + i % 4}\n" for i in range(40))
ASKED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "lda": ("docs.ldac", DOCUMENTS, {"k": 4, "epochs": 300}),
    "medlda": ("classes.csv", CLASSES, {"label": "y", "features": ("text",), "k": 4, "epochs": 300}),
    "mf": (
        "ratings.csv",
        RATINGS,
        {"user": "user", "item": "item", "rating": "rating", "k": 4, "tol": 1e-12, "epochs": 300},
    ),
}
STATE = {"lda": "topics", "medlda": "assigned", "mf": "users"}


@pytest.fixture
def ran(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """A run of the app named, which has ended and left a checkpoint."""
    name, text, asked = ASKED[request.param]
    (tmp_path / name).write_text(text)
    asked = {**asked, "runs": str(tmp_path / "runs"), "checkpoint_every": 0.001}
    return yarnml.run(request.param, data=str(tmp_path / name), **asked).wait()


def refused(run: Any, capsys: pytest.CaptureFixture[str], *flags: str) -> str:
    """What the command line says; nothing is written, and nothing told before."""
    runs = Path(run.url).parent
    before = sorted(runs.rglob("*"))
    capsys.readouterr()
    assert main(["run", "--resume", run.id, "--runs", str(runs), *flags]) == 2
    assert sorted(runs.rglob("*")) == before
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    return line


@pytest.mark.parametrize("ran", ["lda", "medlda", "mf"], indirect=True)
def test_state_of_a_worker_needs_as_many(ran: Any, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(ran, capsys, "--workers", "3")
    assert f"--workers 3: state {STATE[ran.app]!r} of this app belongs to a worker, and the checkpoint has 1: " in said
    assert said.endswith("resume with --workers 1")


@pytest.mark.parametrize("ran", ["lda"], indirect=True)
def test_tables_of_another_shape_are_told_by_the_flag_that_shapes_them(
    ran: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(ran, capsys, "--k", "9", "--learn", "7", "--epochs", "400")
    assert "--k 9: table 'words' is 8 x 9 of int32, and in the checkpoint " in said
    assert said.endswith(" 8 x 4 of int32; it can be resumed only as it was: --k 4")


@pytest.mark.parametrize("ran", ["lda"], indirect=True)
def test_fewer_passes_than_were_begun(ran: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """lda takes no batches: its clocks are 1, in which it counts, and then one a pass of one worker."""
    job = prepare(load_app("lda"), {"resume": ran.url})
    clock = job.resume_clock - 1
    said = refused(ran, capsys, "--epochs", "1")
    begun = max(1, clock - 1)
    assert f"--epochs 1: the checkpoint is at clock {clock}, in pass {begun}: resume with more" in said
    assert prepare(load_app("lda"), {"resume": ran.url, "epochs": begun}).config["epochs"] == begun


@pytest.mark.parametrize("ran", ["mf"], indirect=True)
@pytest.mark.parametrize(
    ("flags", "now", "was"),
    [
        (("--k", "3"), "--k 3", "--k 4"),
        (("--bias", "false", "--k", "3", "--tol", "0.1"), "--k 3 --bias false", "--k 4 --bias"),
        (("--implicit",), "--implicit", "--implicit false"),
    ],
)
def test_what_an_app_calls_fixed(
    ran: Any, flags: tuple[str, ...], now: str, was: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(ran, capsys, *flags)
    assert said.endswith(f"{now}: mf can be resumed only with what it began with: {was}")


@pytest.mark.parametrize("ran", ["mf"], indirect=True)
def test_what_can_be_another(ran: Any) -> None:
    """The same said again is no change; the arrays are of the k of model.json."""
    again = yarnml.run("mf", resume=ran.id, runs=str(Path(ran.url).parent), k=4, epochs=400, reg=0.2).wait()
    assert again.model.config["k"] == 4
    assert again.model["P"].shape == (8, 5)
    assert not np.array_equal(again.model["P"], ran.model["P"])


def test_fixed_names_flags(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    source = (Path(__file__).parent / "tiny" / "app.py").read_text()
    (tmp_path / "mine" / "app.py").write_text(source + '\nfixed = ("epochs", "size")\n')
    with pytest.raises(UsageError, match="fixed names 'size', and Config has no such flag"):
        load_app(str(tmp_path / "mine"))
