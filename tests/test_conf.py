"""The examples of a --config file can be used as they are, and with every line that they comment out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from yarnml.cli.flags import parse
from yarnml.request import GROUPS, GROUPS_ON_YARN


def filled(name: str, groups: dict[str, type[Any]], folder: Path, *, whole: bool) -> dict[str, Any]:
    """What the flags are by the example alone."""
    text = (Path(__file__).parents[1] / "conf" / name).read_text(encoding="utf-8")
    if whole:
        text = re.sub(r"^# (?=[a-z_]+: )", "", text, flags=re.MULTILINE)
    (folder / name).write_text(text)
    return parse("yarnml", "", groups, ["--config", str(folder / name)])


@pytest.mark.parametrize("whole", [False, True])
def test_a_run_on_this_machine(tmp_path: Path, whole: bool) -> None:
    said = filled("local.yaml", GROUPS, tmp_path, whole=whole)
    assert said["data"].test == 0.2
    assert said["running"].workers == 1
    assert (said["data"].data is None) == (not whole)


@pytest.mark.parametrize("whole", [False, True])
def test_a_run_on_a_cluster(tmp_path: Path, whole: bool) -> None:
    said = filled("yarn.yaml", GROUPS_ON_YARN, tmp_path, whole=whole)
    assert said["data"].data == "hdfs:///data/train"
    assert (said["running"].workers, said["running"].servers) == (4, 2)
    assert (said["cluster"].worker_memory, said["cluster"].worker_vcores) == ("2GiB", 2)
    assert said["cluster"].tags == (("nightly",) if whole else ())
    assert said["cluster"].detach == whole
