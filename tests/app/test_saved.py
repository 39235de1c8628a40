"""A saved model finds its app again; code that came with it runs only when trusted and unchanged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hdfs_io import Label, Schema
from yarnml.app import open_model, open_outline
from yarnml.app.find import digest
from yarnml.errors import UsageError
from yarnml.model import Model, save_model

OLD = Path(__file__).parents[1] / "model" / "format_1"
CODE = b"""
from dataclasses import dataclass
import numpy as np
from yarnml.app import AppConfig
from yarnml.task import Regression
task = Regression()
@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    pass
def work(me, cfg): ...
def predict(model, batch): return {"prediction": np.full(len(batch), 7.0)}
"""


def save(folder: Path, source: dict[str, bytes], code: str, home: str = "") -> str:
    schema = Schema(sparse=False, width=1, label=Label("y"))
    model = Model(
        app="mine", task="regression", schema=schema, config={}, arrays={}, private=True, code=code, home=home
    )  # fmt: skip
    save_model(model, str(folder / "model"), source=source)
    return str(folder / "model")


def test_a_model_of_format_1_still_predicts_in_the_original_labels() -> None:
    model = open_model(str(OLD))
    assert model.predict([[2.0, 0.0], [0.0, 2.0]]).tolist() == ["no", "yes"]
    columns = model.predict_columns([[2.0, 0.0]])
    assert list(columns) == ["prediction", "probability_no", "probability_yes"]
    assert columns["probability_no"][0] == pytest.approx(1 / (1 + np.exp(-5)))


def test_code_beside_a_model_runs_only_when_trusted(tmp_path: Path) -> None:
    source = {"app.py": CODE}
    url = save(tmp_path, source, digest(source))
    with pytest.raises(UsageError, match="trust=True"):
        open_model(url)
    assert open_model(url, trust=True).predict([[1.0]]).tolist() == [7]


def test_code_that_was_changed_never_runs(tmp_path: Path) -> None:
    url = save(tmp_path, {"app.py": CODE}, digest({"app.py": CODE + b"# other"}))
    with pytest.raises(UsageError, match="isn't what it was saved with"):
        open_model(url, trust=True)


def test_ones_own_unchanged_code_needs_no_trust(tmp_path: Path) -> None:
    home = tmp_path / "mine"
    home.mkdir()
    (home / "app.py").write_bytes(CODE)
    url = save(tmp_path, {"app.py": CODE}, digest({"app.py": CODE}), str(home))
    assert open_model(url).predict([[1.0]]).tolist() == [7]
    assert open_outline(url)[1].name == "mine"
    (home / "app.py").write_bytes(CODE + b"# edited since")
    with pytest.raises(UsageError, match="trust=True"):
        open_model(url)
    with pytest.raises(UsageError, match="trust=True"):
        open_outline(url)


def test_code_that_lies_in_the_model_is_nobodys_own(tmp_path: Path) -> None:
    source = {"app.py": CODE}
    url = save(tmp_path, source, digest(source), str(tmp_path / "model" / "code"))
    assert (tmp_path / "model" / "code" / "app.py").is_file()
    with pytest.raises(UsageError, match="trust=True"):
        open_model(url)


def test_rows_with_nan_are_refused_by_a_model_whose_app_takes_none() -> None:
    with pytest.raises(UsageError, match=r"1 feature value missing.*row 1: mlr cannot predict"):
        open_model(str(OLD)).predict([[1.0, 2.0], [np.nan, 0.0]])


def test_probabilities_sum_to_1_in_float64() -> None:
    model = open_model(str(OLD))
    P = model.predict_proba(np.random.default_rng(0).standard_normal((500, 2)))
    assert P.dtype == np.float64
    assert P.shape == (500, 2)
    assert abs(P.sum(axis=1) - 1).max() <= 4e-16
    assert model.classes.tolist() == ["no", "yes"]
    assert (
        model.classes[P.argmax(axis=1)].tolist()
        == model.predict(np.random.default_rng(0).standard_normal((500, 2))).tolist()
    )
