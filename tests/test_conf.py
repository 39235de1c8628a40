"""The example of a --config file can be used as it is, and with every line that it comments out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from yarnml.cli.flags import parse
from yarnml.request import GROUPS

TEXT = (Path(__file__).parents[1] / "conf" / "local.yaml").read_text(encoding="utf-8")
WHOLE = re.sub(r"^# (?=[a-z_]+: )", "", TEXT, flags=re.MULTILINE)


@pytest.mark.parametrize("text", [TEXT, WHOLE], ids=["as it is", "with all its lines"])
def test_the_example_can_be_read(tmp_path: Path, text: str) -> None:
    file = tmp_path / "local.yaml"
    file.write_text(text)
    filled = parse("yarnml run mlr", "", GROUPS, ["--config", str(file)])
    assert filled["data"].test == 0.2
    assert filled["running"].workers == 1
    assert (filled["data"].data is None) == (text is TEXT)
