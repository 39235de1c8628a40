"""A config is checked wherever its values come from, and recorded so that it can be built again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from yarnml.config import (
    AppConfig,
    Count,
    Positive,
    config_from_dict,
    config_to_dict,
    read_yaml,
    refuse_reserved,
    required,
)
from yarnml.errors import DataError, UsageError


@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    epochs: Count = 10
    lr: Positive = 0.1
    patience: Count | None = None
    layers: tuple[int, ...] = (3, 4)


@dataclass(frozen=True, kw_only=True)
class Needy(AppConfig):
    model: str
    top: int = 1


def test_a_recorded_config_is_built_again() -> None:
    config = Config(epochs=3, layers=(1,))
    assert config_from_dict(Config, json.loads(json.dumps(config_to_dict(config)))) == config


def test_values_are_checked_in_python_too() -> None:
    assert isinstance(Config(lr=1).lr, float)
    with pytest.raises(UsageError, match=r"--epochs: expected a whole number at least 1, got 0"):
        Config(epochs=0)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"epoch": 3}, "file.yaml: unknown key 'epoch'; did you mean 'epochs'?"),
        ({"epochs": "many"}, "file.yaml: epochs: expected a whole number at least 1, got 'many'"),
        ({"layers": 3}, "file.yaml: layers: expected a list of a whole number, got 3"),
    ],
)
def test_from_dict_names_file_key_and_what_was_expected(values: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        config_from_dict(Config, values, "file.yaml")
    assert str(caught.value) == says


def test_what_has_no_default_is_asked_for() -> None:
    assert required(Needy) == ["model"]
    with pytest.raises(UsageError, match="say it with --model"):
        config_from_dict(Needy, {"top": 2})


def test_reserved_flags_are_refused_by_name() -> None:
    refuse_reserved("mine", Needy, {"workers"})
    with pytest.raises(UsageError, match="app mine: its Config has 'top', but --top is a flag of yarnml itself"):
        refuse_reserved("mine", Needy, {"workers", "top"})


@dataclass(frozen=True, kw_only=True)
class Queueing(AppConfig):
    queue: str = "default"


def test_flags_of_submit_are_reserved_too() -> None:
    with pytest.raises(UsageError, match="'queue'"):
        refuse_reserved("mine", Queueing, ())


def test_yaml(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("batch-size: 3\nlr: 1e-3\n")
    assert read_yaml(str(file)) == {"batch_size": 3, "lr": "1e-3"}
    file.write_text("# nothing said\n")
    assert read_yaml(str(file)) == {}


@pytest.mark.parametrize("text", ["- a\n- b\n", "just words", "a: [1\n"])
def test_yaml_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"a\.yaml"):
        read_yaml(str(file))


def test_yaml_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises((UsageError, DataError), match=r"no\.yaml"):
        read_yaml(str(tmp_path / "no.yaml"))
