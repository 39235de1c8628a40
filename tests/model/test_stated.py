"""What is wrong with a value from JSON is said by its field."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest

from hdfs_io import Label, Schema
from hdfs_io.schema import Input
from yarnml.model.stated import fault

INPUTS = (Input("a"), Input("b", words=("x",)))
LABEL = Label("y", ("no", 1), (3, 4))
SCHEMA = json.loads(json.dumps(Schema(sparse=False, width=2, label=LABEL, inputs=INPUTS, means=(0.5, 1)).to_json()))


@pytest.mark.parametrize(
    ("value", "hint", "said"),
    [
        (3, int, ""),
        (True, int, "x is True, and should be a whole number"),
        (3, float, ""),
        (float("nan"), float, "x is nan, and should be a number"),
        ("a", Literal["a", "b"], ""),
        ([], Literal["a", "b"], "x is [], and should be one of 'a', 'b'"),
        (None, int | None, ""),
        ("3", int | None, "x is '3', and should be a whole number or null"),
        ([1, "b"], tuple[int, ...], "x[1] is 'b', and should be a whole number"),
        ([1, "b"], tuple[int, ...] | None, "x[1] is 'b', and should be a whole number"),
        ({"a": {"b": "c"}}, dict[str, dict[str, float]], "x.a.b is 'c', and should be a number"),
        (SCHEMA, Schema, ""),
        ({**SCHEMA, "widht": 3}, Schema, "x has an unknown field 'widht'; did you mean 'width'?"),
        ({"width": 3}, Schema, "x lacks 'sparse'"),
        ({**SCHEMA, "label": {"name": 3}}, Schema, "x.label.name is 3, and should be a text"),
        ({**SCHEMA, "inputs": [{"column": 1}]}, Schema, "x.inputs[0].column is 1, and should be a text"),
        ("a" * 1000, int, "x is a str, and should be a whole number"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(value: Any, hint: Any, said: str) -> None:
    assert fault("x", value, hint) == said
