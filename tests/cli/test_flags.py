"""Flags: the command line beats the YAML file, which beats the defaults; what is wrong is said in one line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from yarnml.cli.flags import parse
from yarnml.config import AppConfig, Count
from yarnml.errors import UsageError
from yarnml.request import GROUPS, Reading


@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    epochs: Count = 10  # passes over the data
    batch_size: int = 64  # rows a clock
    patience: Count | None = 3
    how: Literal["full", "mini"] = "full"
    shuffle: bool = True
    layers: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Other(AppConfig):
    config: str | None = None
    label: str | int | None = None  # column to predict
    header: bool | None = None


def parsed(*args: str) -> tuple[Any, Any]:
    filled = parse("yarnml run mine", "Mine.", {"mine": Config, "other": Other}, args)
    return filled["mine"], filled["other"]


def refused(*args: str) -> str:
    with pytest.raises(UsageError) as caught:
        parsed(*args)
    return str(caught.value)


def test_defaults_are_the_config_s() -> None:
    assert parsed() == (Config(), Other())


@pytest.mark.parametrize("said", [["--batch-size", "3"], ["--batch_size", "3"], ["--batch-size=3"]])
def test_either_way_to_write_a_name(said: list[str]) -> None:
    assert parsed(*said)[0].batch_size == 3


def test_none_negative_numbers_and_lists() -> None:
    mine, other = parsed("--patience", "none", "--label", "-1", "--layers", "1", "2", "--no-shuffle")
    assert mine == Config(patience=None, layers=(1, 2), shuffle=False)
    assert other.label == -1


@pytest.mark.parametrize(
    ("said", "header"),
    [
        ([], None),
        (["--header"], True),
        (["--no-header"], False),
        (["--no_header"], False),
        (["--header=none"], None),
        (["--header", "false"], False),
        (["--header", "True"], True),
        (["--header=false", "--label", "y"], False),
    ],
)
def test_a_choice_that_can_be_left_open(said: list[str], header: bool | None) -> None:
    assert parsed(*said)[1].header is header


@pytest.mark.parametrize(
    ("said", "shuffle"),
    [
        (["--shuffle"], True),
        (["--no-shuffle"], False),
        (["--shuffle", "false"], False),
        (["--shuffle=false"], False),
        (["--shuffle", "true"], True),
    ],
)
def test_yes_and_no(said: list[str], shuffle: bool) -> None:
    assert parsed(*said)[0].shuffle is shuffle


@pytest.mark.parametrize("none", ["none", "None", "~", "null", "NULL", ""])
def test_a_file_says_none_in_all_ways(tmp_path: Path, none: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(f"patience: {none}\nlabel: {none}\nheader: {none}\n")
    mine, other = parsed("--config", str(file))
    assert (mine.patience, other.label, other.header) == (None, None, None)
    file.write_text(f"epochs: {none}\n")
    assert "epochs: expected a whole number" in refused("--config", str(file))


def test_help_shows_what_a_value_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse("yarnml run mine", "Mine.", GROUPS, ["--help"])
    shown = capsys.readouterr().out
    for said in ("--data URL ", "--valid URL|FRACTION", "--test URL|FRACTION", "--out URL ", "--label TEXT"):
        assert said in shown


@pytest.mark.parametrize(
    ("said", "says"),
    [
        (["--sep", "ü"], "--sep 'ü': expected one ASCII character"),
        (["--sep", ";;"], "--sep ';;': expected one ASCII character"),
        (["--sep", ""], "--sep '': expected one ASCII character"),
        (["--features", "x0", "x1", "x0"], "--features: names x0 more than once"),
        (["--features"], "--features: names no column"),
    ],
)
def test_what_no_data_can_be_read_by(said: list[str], says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        parse("yarnml run mine", "Mine.", {"reading": Reading}, said)


@pytest.mark.parametrize(("said", "sep"), [("tab", "\t"), ("\\t", "\t"), ("space", " "), (";", ";"), ("\t", "\t")])
def test_separators(said: str, sep: str) -> None:
    assert parse("yarnml run mine", "Mine.", {"reading": Reading}, ["--sep", said])["reading"].options().sep == sep


def test_a_file_is_beaten_by_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("epochs: 5\nbatch-size: 7\npatience: none\nshuffle: false\nlayers: [1, 2]\nlabel: word\n")
    mine, other = parsed("--epochs", "6", "--config", str(file), "--layers", "3")
    assert mine == Config(epochs=6, batch_size=7, patience=None, shuffle=False, layers=(3,))
    assert other.label == "word"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("epoch: 5", "unknown key 'epoch'; did you mean 'epochs'?"),
        ("epochs: many", "epochs: expected a whole number at least 1, got 'many'"),
        ("epochs: 0", "epochs: expected a whole number at least 1, got 0"),
        ("config: other.yaml", "unknown key 'config'"),
        ("epochs: 3\nlabel: y\nepochs: 3", "'epochs' is said twice, in lines 1 and 3"),
        ("batch_size: 3\nbatch-size: 4", "'batch-size' is said twice, in lines 1 and 2"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(text)
    message = refused("--config", str(file))
    assert f"--config {file}" in message
    assert says in message


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--epoch", "3"], "unknown flag --epoch; did you mean '--epochs'?"),
        (["--epochs", "x"], "--epochs: expected a whole number, got 'x'"),
        (["--epochs", "0"], "--epochs: expected a whole number at least 1, got 0"),
        (["--how", "both"], "--how: expected one of full, mini, got 'both'"),
        (["--epochs"], "--epochs"),
        (["word"], "unexpected 'word'"),
        (["--shuffle=maybe"], "--shuffle: expected true or false, got 'maybe'"),
        (["--header=maybe"], "--header: expected true or false or none, got 'maybe'"),
    ],
)
def test_a_wrong_flag_is_said_in_one_line(args: list[str], says: str) -> None:
    message = refused(*args)
    assert says in message
    assert "\n" not in message


def test_help_comes_from_the_comments(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        parsed("--help")
    assert stop.value.code == 0
    shown = capsys.readouterr().out
    assert "passes over the data (default: 10)" in shown
    assert shown.index("mine options") < shown.index("other options")
