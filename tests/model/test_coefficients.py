"""Coefficients by name: those of zeros are left out, and features that were scaled count as the data has them."""

from __future__ import annotations

import numpy as np

from hdfs_io import Schema
from hdfs_io.schema import Input
from yarnml.model import Coefficients

W = np.array([[1.5], [0.0], [-2.0], [7.0]])


def test_by_name_without_zeros() -> None:
    found = Coefficients.of(W, Schema(sparse=False, width=3, features=("age", "idle", "sex=f")))
    assert dict(found) == {"age": 1.5, "sex=f": -2.0}
    assert (found.names, found.weights.tolist(), found.intercept) == (("age", "sex=f"), [1.5, -2.0], 7.0)
    assert found.largest(1) == ["sex=f"]
    assert found.get("idle", 0.0) == 0
    assert repr(found) == "<2 coefficients, the largest sex=f -2, age 1.5>"


def test_features_without_names_are_called_by_their_index() -> None:
    assert list(Coefficients.of(W, Schema(sparse=True, width=3, base=1))) == ["1", "3"]


def test_several_classes() -> None:
    many = np.hstack([W, np.zeros((4, 1)), 2 * W])
    found = Coefficients.of(many, Schema(sparse=True, width=3))
    assert found["2"].tolist() == [-2, 0, -4]
    assert found.intercept.tolist() == [7, 0, 14]
    assert found.largest() == ["2", "0"]
    assert repr(found) == "<2 coefficients, the largest 2, 0>"


def test_of_the_data_as_it_is() -> None:
    inputs = (Input("a", scale=0.25), Input("b"), Input("c", scale=4.0))
    found = Coefficients.of(W, Schema(sparse=False, width=3, features=("a", "b", "c"), inputs=inputs))
    assert dict(found) == {"a": 1.5 * 0.25, "c": -8.0}


def test_none_at_all() -> None:
    found = Coefficients.of(np.zeros((3, 1)), Schema(sparse=True, width=2))
    assert (len(found), found.largest(), repr(found)) == (0, [], "<0 coefficients>")
