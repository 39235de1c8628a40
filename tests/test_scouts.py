"""Scouts are asked only for data that is worth it and that a cluster can reach; what they find is what a scan finds."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from hdfs_io import DataError
from hdfs_io.describe import describe
from hdfs_io.errand import Errand
from tests.standin import cluster
from yarnml import scouts as module
from yarnml.comm.outcome import Outcome
from yarnml.errors import UsageError
from yarnml.job import Job
from yarnml.launch import InlineLauncher
from yarnml.monitor.terminal import view
from yarnml.request import OnYarn, Who
from yarnml.scouts import Scouts
from yarnml.sender import Sender


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where data and runs are."""
    with cluster(monkeypatch, module, survey, adopted="a note") as url:
        yield url


def survey(_: Sender, job: Job, _errand: Errand) -> Outcome:
    return InlineLauncher().start(replace(job, workers=1), lambda _: None).wait()


def scouted(url: str, scan: Who, pays: int = 4 << 30) -> tuple[str, str]:
    shown = io.StringIO()
    text = describe(url, surveyor=Scouts(OnYarn(scan=scan), 2, view(shown), pays))
    return text, shown.getvalue()


@pytest.mark.parametrize(("scan", "pays"), [("cluster", 4 << 30), ("auto", 1)])
def test_what_workers_find_is_what_is_found_here(place: str, scan: Who, pays: int) -> None:
    text, said = scouted(f"{place}/data", scan, pays)
    assert text == describe(f"{place}/data")
    assert "a note" in said
    assert "3 rows surveyed by 2 workers" in said


@pytest.mark.parametrize(("scan", "pays"), [("here", 1), ("auto", 4 << 30)])
def test_nobody_is_asked_for_little(place: str, scan: Who, pays: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "adopt", lambda: pytest.fail("no cluster had to be looked for"))
    assert scouted(f"{place}/data", scan, pays) == (describe(f"{place}/data"), "")


@pytest.mark.parametrize("why", [UsageError("no cluster is known"), DataError("no NameNode answers")])
def test_without_a_cluster_it_is_done_here_unless_that_was_asked_for(
    place: str, why: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find() -> None:
        raise why

    monkeypatch.setattr(module, "Site", SimpleNamespace(find=find))
    text, said = scouted(f"{place}/data", "auto", 1)
    assert text == describe(f"{place}/data")
    assert f"on this machine: {why}" in said
    with pytest.raises(type(why), match=str(why)):
        scouted(f"{place}/data", "cluster")


def test_data_of_this_machine_is_out_of_workers_reach(place: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,y\n1,0\n2,1\n")
    url = str(tmp_path / "a.csv")
    assert scouted(url, "auto", 1)[0] == describe(url)
    with pytest.raises(UsageError, match="containers can't reach it; copy it"):
        scouted(url, "cluster")
