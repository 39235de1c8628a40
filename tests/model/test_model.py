"""A model takes rows in any form that a caller has them in, and says what is wrong with those it can't take."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import coo_matrix

from hdfs_io import CSR, DataError, Label, Schema
from hdfs_io.schema import Input
from yarnml.errors import UsageError
from yarnml.model import Abilities, Model
from yarnml.model.features import matrix

X = np.array([[1.0, 2.0], [0.0, 3.0]])


@pytest.fixture
def model() -> Model:
    """Predicts the sum of a row's features, each weighted by its place."""

    def predict(model: Model, rows: Any, _keys: Any) -> dict[str, np.ndarray]:
        dense = rows.to_scipy().toarray() if isinstance(rows, CSR) else rows
        assert dense.dtype == np.float32
        return {"prediction": dense @ model["W"]}

    return Model(
        app="sum",
        task="regression",
        schema=Schema(sparse=False, width=2, features=("a", "b")),
        config={},
        arrays={"W": np.array([1.0, 10.0])},
        abilities=Abilities(predict=predict),
    )


@pytest.mark.parametrize(
    "rows",
    [
        X,
        X.tolist(),
        coo_matrix(X),
        pd.DataFrame({"b": [2.0, 3.0], "other": ["x", "y"], "a": [1, 0]}),
        pa.table({"b": [2.0, 3.0], "a": [1, 0]}),
    ],
    ids=["numpy", "lists", "scipy", "pandas", "arrow"],
)
def test_takes_rows_in_any_form(model: Model, rows: Any) -> None:
    np.testing.assert_allclose(model.predict(rows), [21, 30])


@pytest.mark.parametrize("rows", [X[:, :1], X[0], coo_matrix(X[:, :1])])
def test_rows_of_another_width_are_refused(model: Model, rows: Any) -> None:
    with pytest.raises(UsageError, match="2 features"):
        model.predict(rows)


def test_what_the_model_does_not_know_is_an_error_unless_it_is_dropped(model: Model) -> None:
    wide = coo_matrix(np.hstack([X, X]))
    with pytest.raises(UsageError, match="2 features"):
        model.predict(wide)
    np.testing.assert_allclose(model.predict(wide, unknown="drop"), [21, 30])
    inputs = (Input("kind", words=("no", "yes"), width=2),)
    words = replace(model, schema=Schema(sparse=False, width=2, features=("kind=no", "kind=yes"), inputs=inputs))
    rows = pd.DataFrame({"kind": ["yes", "maybe"]})
    with pytest.raises(DataError, match="row 1: column 'kind' holds 'maybe'"):
        words.predict(rows)
    assert words.predict(rows, unknown="drop").tolist() == [10, 0]


def test_a_table_without_a_column_is_refused_with_the_near_name() -> None:
    with pytest.raises(UsageError, match=r"no column 'long_name'.*did you mean 'longname'"):
        matrix(pd.DataFrame({"longname": [1], "b": [2]}), Schema(sparse=False, width=2, features=("long_name", "b")))


def test_an_unbound_model_says_how_to_open_it() -> None:
    model = Model(app="x", task="regression", schema=Schema(sparse=False, width=1), config={}, arrays={})
    with pytest.raises(UsageError, match=r"yarnml\.load"):
        model.predict([[1]])


def test_a_model_shows_what_it_is_in_one_line(model: Model) -> None:
    assert repr(model) == "<Model of sum: 2 features>"
    schema = Schema(sparse=False, width=1000, features=tuple(f"f{i}" for i in range(1000)), label=Label("y", (0, 1, 2)))
    scored = replace(model, schema=schema, metrics={"train": {"accuracy": 1.0}, "test": {"accuracy": 0.91234}})
    assert repr(scored) == "<Model of sum: 1,000 features, 3 classes, test accuracy 0.9123>"


def test_only_classifiers_have_classes(model: Model) -> None:
    with pytest.raises(UsageError, match="tells no classes apart"):
        model.predict_proba(X)


def test_what_a_model_cannot_do_is_said(model: Model) -> None:
    for ask, said in (
        (lambda: model.recommend(["u"]), "recommends nothing"),
        (lambda: model.coefficients, "has no coefficients"),
        (lambda: model.top_words(), "has no topics"),
    ):
        with pytest.raises(UsageError, match=f"a regression model of sum {said}"):
            ask()
    assert model.summary() == []


def test_what_a_model_can_do_is_its_app_s(model: Model) -> None:
    able = Abilities(
        predict=lambda *_: {},
        coefficients=lambda model: np.append(model["W"], 5.0)[:, None],
        recommend=lambda _, users, n: {
            "item": np.arange(len(users) * n).reshape(-1, n),
            "prediction": np.where(users.codes[:, None] == np.arange(n), np.nan, np.float32(1)),
        },
    )
    able_model = replace(model, abilities=able)
    assert dict(able_model.coefficients) == {"a": 1, "b": 10}
    assert able_model.coefficients.intercept == 5
    items, predictions = able_model.recommend(["u", "v"], 2)
    assert items.tolist() == [[None, 1], [2, None]]
    assert np.isnan(predictions).tolist() == [[True, False], [False, True]]
    with pytest.raises(UsageError, match="n=0"):
        able_model.recommend(["u"], 0)
