"""The bench runner: finds benches by their files, shows rows as a table and as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from yarnml.bench.runner import as_json, as_table, names, run
from yarnml.errors import UsageError


@dataclass(frozen=True)
class Row:
    name: str
    ours: float
    peer: float | None
    ratio: float | None
    aim: Any
    holds: bool | None


ROWS: list[Any] = [
    Row("inc of 1 MB blocks, MB/s", 1234.5, 1300.0, 0.9496, ">= 0.85", True),
    Row("parse, MB/s", 100.0, None, None, ">= 10", None),
]


def test_a_missing_peer_is_said_to_be_missing() -> None:
    head, first, second = as_table(ROWS).splitlines()
    assert head.split() == ["ours", "peer", "ratio", "aim", "holds"]
    assert "0.9496" in first
    assert first.endswith("yes")
    assert "missing" in second


def test_json_is_one_line_of_the_agreed_form() -> None:
    line = as_json("table", ROWS)
    assert "\n" not in line
    found = json.loads(line)
    assert found["bench"] == "table"
    assert found["rows"][1] == {
        "name": "parse, MB/s",
        "ours": 100.0,
        "peer": None,
        "ratio": None,
        "aim": ">= 10",
        "holds": None,
    }


def test_what_has_no_figure_is_null() -> None:
    row: Any = Row("updates", 100.0, float("inf"), float("inf"), "-", None)
    [found] = json.loads(as_json("schedule", [row]), parse_constant=pytest.fail)["rows"]
    assert (found["ours"], found["peer"], found["ratio"]) == (100.0, None, None)


def test_what_helps_the_benches_is_none() -> None:
    assert not {"runner", "row"} & set(names())


def test_an_unknown_bench() -> None:
    with pytest.raises(UsageError, match="no bench 'tabel'"):
        run("tabel", quick=True)
