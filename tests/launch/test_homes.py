"""Workers run where most of their rows are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from hdfs_io import Sample, scan
from yarnml.job import Job, Part
from yarnml.launch.yarn import homes as module


@pytest.mark.parametrize("most", [100, 4])
def test_each_worker_has_the_hosts_of_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """The first half of the files is on one host, the second on another; of many files some are asked about."""
    for k in range(10):
        (tmp_path / f"part-{k}.csv").write_text("a,y\n" + f"{k},{k % 2}\n" * 20)
    asked = []

    def hosts(url: str, ranges: Iterable[tuple[int, int]]) -> list[Counter[str]]:
        asked.append(url)
        return [Counter({"low" if int(url[-5]) < 5 else "high": stop - start}) for start, stop in ranges]

    monkeypatch.setattr(module, "block_hosts", hosts)
    monkeypatch.setattr(module, "MOST_FILES", most)
    dataset = scan(str(tmp_path), label="class")
    part = Part(dataset=dataset, sample=Sample.all(), rows=dataset.rows)
    job = Job(run="r", runs=str(tmp_path), app="mlr", config={}, train=part, workers=2)
    assert module.homes(job) == [["low"], ["high"]]
    assert len(set(asked)) == min(most, 10)
