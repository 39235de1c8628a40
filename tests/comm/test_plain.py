"""What is said must be plain, and what isn't is named."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from yarnml.comm.plain import plain_numbers, plain_result
from yarnml.errors import UsageError


def test_numpys_numbers_are_numbers() -> None:
    said = plain_numbers({"a": np.float32(0.5), "b": np.int64(2), "c": np.array(3.0), "d": 1})
    assert json.loads(json.dumps(said)) == {"a": 0.5, "b": 2, "c": 3.0, "d": 1}


@pytest.mark.parametrize("value", ["abc", None, [1], np.zeros(2), 1j])
def test_what_is_no_number_is_named(value: Any) -> None:
    with pytest.raises(UsageError, match=r"report\(loss=.*only numbers are reported"):
        plain_numbers({"clock": 1, "loss": value})


def test_a_result_is_what_json_gives_back() -> None:
    result = plain_result({"a": np.float32(0.5), "b": (1, np.bool_(True)), "c": {"d": None}, "e": "text"})
    assert json.loads(json.dumps(result)) == result == {"a": 0.5, "b": [1, True], "c": {"d": None}, "e": "text"}


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"a": {"b": [1, {2}]}}, r"result\['a'\]\['b'\]\[1\] = \{2\} is a set"),
        ({"w": np.zeros(3)}, r"result\['w'\] = array.* is a ndarray"),
        ({"a": {1: 2}}, r"result\['a'\] has the key 1, a int"),
    ],
)
def test_what_json_cannot_hold_is_named_with_its_place(result: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        plain_result(result)
