"""Apps on data beyond memory: the same bits as in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.apps.conftest import Start

ROWS = 8000


@pytest.fixture(params=["dense", "sparse"])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """More than 1 MiB in memory for each of two workers."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, ROWS)
    X = rng.random((ROWS, 64)) + 0.3 * y[:, None]
    if request.param == "sparse":
        file = tmp_path / "train.libsvm"
        rows = [" ".join(f"{j + 1}:{v:.3f}" for j, v in enumerate(row)) for row in X]
        lines = [f"{k} {row}" for k, row in zip(y, rows, strict=True)]
    else:
        file = tmp_path / "train.csv"
        lines = [",".join([*(f"x{j}" for j in range(64)), "label"])]
        lines += [",".join([*(f"{v:.3f}" for v in row), str(k)]) for k, row in zip(y, X, strict=True)]
    file.write_text("\n".join(lines) + "\n")
    return str(file)


@pytest.mark.parametrize(("app", "workers"), [("mlr", 1), ("kmeans", 1), ("mlr", 2)])
def test_the_same_model(app: str, workers: int, data: str, start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    options = {"data": data, "batch": 300, "epochs": 3, "valid": 0.2, "test": 0.2, "workers": workers, "label": "label"}
    runs = []
    for memory, said in (("1GiB", False), ("1MiB", True)):
        runs.append(start(app, data_memory=memory, **options))
        assert ("beyond --data-memory: kept on disk" in capsys.readouterr().err) == said
    in_memory, beyond = runs
    for name, array in in_memory.model.arrays.items():
        np.testing.assert_array_equal(beyond.model.arrays[name], array)
    assert beyond.result["test"] == in_memory.result["test"]
    assert beyond.result["valid"] == in_memory.result["valid"]
    assert beyond.result["train"] == pytest.approx(in_memory.result["train"])


def test_a_batch_of_all_rows_is_made_smaller(data: str, start: Start) -> None:
    run = start("kmeans", data=data, epochs=3, k=3, data_memory="1MiB")
    assert any("batches of" in note and "--data-memory" in note for note in run.result["notes"])
    assert run.result["train"]["inertia"] > 0
