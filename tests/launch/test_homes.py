"""Workers run where most of their rows are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from hdfs_io import Piece, ReadOptions, Sample, Stretch, scan
from hdfs_io.errand import Errand, Portion
from hdfs_io.survey import Ask
from yarnml.job import Job, Part
from yarnml.launch.yarn import homes as module


@pytest.mark.parametrize("most", [100, 4])
def test_each_worker_has_the_hosts_of_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """The first half of the files is on one host, the second on another; of many files some are asked about."""
    for k in range(10):
        (tmp_path / f"part-{k}.csv").write_text("a,y\n" + f"{k},{k % 2}\n" * 20)
    asked = []

    def hosts(url: str, ranges: Iterable[tuple[int, int]]) -> list[Stretch]:
        asked.append(url)
        return [Stretch(100, Counter({"low" if int(url[-5]) < 5 else "high": 100})) for _ in ranges]

    monkeypatch.setattr(module, "block_hosts", hosts)
    monkeypatch.setattr(module, "MOST_FILES", most)
    dataset = scan(str(tmp_path), label="class")
    part = Part(dataset=dataset, sample=Sample.all(), rows=dataset.rows)
    job = Job(run="r", runs=str(tmp_path), app="mlr", config={}, train=part, workers=2)
    found = module.homes(job)
    assert [home.best for home in found] == [["low"], ["high"]]
    assert len(set(asked)) == min(most, 10)
    assert sum(home.size for home in found) == 100 * len(set(asked))
    assert module.local(found, {0: "low", 1: "high"}) == {"bytes": 100 * len(asked), "local_bytes": 100 * len(asked)}
    assert module.local(found, {0: "high", 1: "low"})["local_bytes"] == 0
    assert module.local(found, {1: "high"})["local_bytes"] == found[1].size


def test_who_surveys_a_data_set_is_asked_for_where_its_share_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first file, of two pieces, is on one host, the other on another."""
    pieces = Piece("hdfs:///a", 0, 60), Piece("hdfs:///a", 60, 100), Piece("hdfs:///b", 0, 100)
    portions = tuple(Portion(piece, piece.stop - piece.start) for piece in pieces)

    def hosts(url: str, ranges: Iterable[tuple[int, int]]) -> list[Stretch]:
        return [Stretch(stop - start, Counter({url[-1]: stop - start})) for start, stop in ranges]

    monkeypatch.setattr(module, "block_hosts", hosts)
    errand = Errand(ReadOptions(format="csv"), portions, Ask(), 60)
    assert module.homes_of(errand, 2) == [module.Home(100, {"a": 100}), module.Home(100, {"b": 100})]
    assert module.homes_of(errand, 1) == [module.Home(200, {"a": 100, "b": 100})]


@pytest.mark.parametrize("files", [1, 40, 400])
def test_small_files_that_are_read_together_are_asked_about_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    for k in range(files):
        (tmp_path / f"part-{k:03d}.csv").write_text("a,y\n1,0\n2,1\n")
    monkeypatch.setattr(module, "block_hosts", lambda _url, ranges: [Stretch(14, Counter(here=14)) for _ in ranges])
    monkeypatch.setattr(module, "MOST_FILES", 100)
    dataset = scan(str(tmp_path), label="class")
    part = Part(dataset=dataset, sample=Sample.all(), rows=dataset.rows)
    job = Job(run="r", runs=str(tmp_path), app="mlr", config={}, train=part, workers=3)
    total = sum(home.size for home in module.homes(job))
    assert abs(total - 14 * min(files, 100)) <= 3
