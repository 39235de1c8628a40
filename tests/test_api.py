"""yarnml in Python: run an app, wait, read its metrics, use its model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yarnml
from yarnml.cli import main
from yarnml.errors import RunFailed, Stopped, UsageError
from yarnml.launch.handle import Handle
from yarnml.runs import RunDir, all_runs, wait_for

TINY = Path(__file__).parent / "tiny"
LONG: dict[str, Any] = {"epochs": 100_000, "pause": 0.01}


@pytest.fixture
def where(tmp_path: Path) -> dict[str, Any]:
    """The data and the runs' directory of a test."""
    file = tmp_path / "table.csv"
    file.write_text("a,y\n" + "".join(f"{i},{i % 5}\n" for i in range(100)))
    return {"data": file, "label": "y", "runs": tmp_path / "runs"}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run(where: dict[str, Any], workers: int) -> None:
    run = yarnml.run(TINY, **where, workers=workers, epochs=4).wait()
    assert run.state == "succeeded"
    assert run.result["train"]["rmse"] == pytest.approx(np.std(np.arange(5)))
    losses = run.metrics.to_pandas().query("name == 'loss'")
    assert sorted(losses["worker"].unique()) == list(range(workers))
    assert losses["value"].min() == pytest.approx(0.25)
    assert run.model.predict(np.zeros((3, 1))).tolist() == [2, 2, 2]
    assert RunDir(run.url).record().result == run.result


def test_a_model_goes_where_it_is_wanted(where: dict[str, Any], tmp_path: Path) -> None:
    run = yarnml.run(TINY, **where, out=tmp_path / "mine", test=0.5)
    assert set(run.result["test"]) == {"rmse", "mae", "r2"}
    assert yarnml.load(tmp_path / "mine").predict([[1.0]]).shape == (1,)  # its code is our own
    yarnml.run(TINY, **where, out=tmp_path / "mine", overwrite=True).wait()


def test_a_model_whose_place_was_taken_meanwhile_is_kept(where: dict[str, Any], tmp_path: Path) -> None:
    run = yarnml.run(TINY, **where, epochs=100, pause=0.01, out=tmp_path / "mine")
    (tmp_path / "mine").mkdir()
    kept = f"{run.url}/model"
    with pytest.raises(RunFailed, match=f"mine: has come to be since the run began.*the model is in {kept}"):
        run.wait()
    assert yarnml.load(kept).predict([[1.0]]).shape == (1,)
    assert list((tmp_path / "mine").iterdir()) == []


def test_names_are_completed_before_they_are_used() -> None:
    assert set(yarnml.__all__) <= set(dir(yarnml))


def test_a_run_that_fails_says_why(where: dict[str, Any]) -> None:
    run = yarnml.run(TINY, **where, fail=True)
    with pytest.raises(RunFailed, match="asked to fail"):
        run.wait()
    assert run.state == "failed"
    assert "asked to fail" in run.record.message
    with pytest.raises(RunFailed, match="asked to fail"):
        _ = run.model


def test_a_run_that_is_killed(where: dict[str, Any]) -> None:
    run = yarnml.run(TINY, **where, **LONG)
    assert wait_for(lambda: run.metrics.num_rows > 0, 60)
    run.kill()
    with pytest.raises(Stopped):
        run.wait()
    assert run.state == "killed"


def test_a_run_whose_deadline_passes(where: dict[str, Any]) -> None:
    run = yarnml.run(TINY, **where, **LONG, deadline=0.5)
    with pytest.raises(Stopped, match="deadline"):
        run.wait()
    assert run.state == "deadline"


def test_data_in_memory_is_refused_in_one_line(where: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"^data=: takes a data set's path or URL, no ndarray; write it to a file.*$"):
        yarnml.run(TINY, **(where | {"data": np.zeros((100, 2))}))


def test_a_run_says_who_it_is(where: dict[str, Any]) -> None:
    run = yarnml.run(TINY, **where)
    assert repr(run) == f"<yarnml run {run.id} in {run.url}>"
    run.wait()


def test_memory_is_a_store_too(where: dict[str, Any]) -> None:
    run = yarnml.run(TINY, **(where | {"runs": "memory://test-api/runs"})).wait()
    assert run.metrics["value"].to_pylist() == pytest.approx([1, 1 / 2, 1 / 3])
    assert run.model.predict([[1.0]]).tolist() == [2.0]


def pressing(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, *, then: Any = ...) -> None:
    """Ctrl-C is pressed in the first call of a method; later ones do what it does, or return `then`."""
    method, calls = getattr(owner, name), []

    def pressed(self: Any, *args: Any, **more: Any) -> Any:
        calls.append(args)
        if len(calls) == 1:
            assert wait_for(lambda: getattr(self, "done", True), 60)
            raise KeyboardInterrupt
        return method(self, *args, **more) if then is ... else then

    monkeypatch.setattr(owner, name, pressed)


def test_a_model_that_is_saved_while_ctrl_c_is_pressed_again_is_there(
    where: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    pressing(monkeypatch, Handle, "wait")
    run = yarnml.run(TINY, **where).wait()
    assert run.state == "succeeded"
    assert run.model.predict([[1.0]]).tolist() == [2]


def test_a_model_that_is_whole_though_its_run_was_left_is_told(
    where: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    pressing(monkeypatch, Handle, "wait", then=None)
    run = yarnml.run(TINY, **where)
    with pytest.raises(Stopped, match=f"interrupted twice by Ctrl-C; .* but its model is whole: {run.url}/model"):
        run.wait()
    assert run.state == "interrupted"
    assert yarnml.load(f"{run.url}/model").predict([[1.0]]).tolist() == [2]


def test_ctrl_c_while_the_end_is_written_down_changes_no_verdict(
    where: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    pressing(monkeypatch, RunDir, "end")
    monkeypatch.setattr("yarnml.cli.run.deaf", lambda: None)  # this process goes on
    args = ["--data", str(where["data"]), "--label", "y", "--runs", str(where["runs"])]
    assert main(["run", str(TINY), *args]) == 0
    (run,) = all_runs(str(where["runs"]))
    assert run.record().state == "succeeded"
