"""The bench of apps: what holds, what is said of a peer that is missing, and that its entries can be asked for."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from hdfs_io import scan
from yarnml.app import app_names, load_app
from yarnml.bench import apps, made
from yarnml.bench.entries import ENTRIES, Peer
from yarnml.bench.runner import run
from yarnml.config import flag, hints
from yarnml.errors import UsageError
from yarnml.request import RESERVED

SVM = next(entry for entry in ENTRIES if entry.app == "svm")


def turn(quality: float, total: float) -> dict[str, float]:
    return {"quality": quality, "total": total}


def test_holds_by_quality_and_seconds() -> None:
    peers = [turn(0.5, 10.0)] * 3
    good, bad, small = (
        apps.rows(SVM, "svm", [turn(quality, total)] * 3, peers, aim)
        for quality, total, aim in ((0.5001, 6.9, 0.7), (0.51, 7.1, 0.7), (0.4, 70, None))
    )
    assert [row.holds for row in good + bad] == [True, True, False, False]
    assert [row.holds for row in small] == [True, None]
    higher = apps.rows(replace(SVM, better="higher"), "svm", [turn(0.51, 1)], peers, 0.7)
    assert higher[0].holds


def test_a_missing_peer() -> None:
    found = apps.rows(SVM, "svm beside LIBLINEAR", [turn(0.5, 1)], [], 0.7)
    assert [(row.peer, row.ratio, row.holds) for row in found] == [(None, None, None)] * 2


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.app)
def test_an_entry_can_be_asked_for(entry: object) -> None:
    assert entry in ENTRIES
    found = next(each for each in ENTRIES if each is entry)
    assert all((apps.PEERS / f"{peer.script}.py").is_file() for peer in found.peers)
    if found.app in app_names():
        known = set(hints(load_app(found.app).Config)) | RESERVED
        assert set(found.options | found.large) <= known, flag(found.app)


def test_a_row_for_an_app_without_its_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = Peer("nobody", "a_package_that_nobody_has", "svm_liblinear")
    alone = replace(SVM, peers=(nobody,), quick=partial(made.sparse, n=300, width=100, numbers=False))
    monkeypatch.setattr(apps, "ENTRIES", (alone, replace(SVM, app="not_yet")))
    quality, seconds = run("apps", quick=True)
    assert "beside nobody" in quality.name
    assert quality.peer is None
    assert 0 < quality.ours < 1
    assert seconds.ours > 0


def test_a_peer_is_a_process_of_the_python_that_is_named(tmp_path: Path) -> None:
    python = tmp_path / "python"
    said = json.dumps({"quality": 1.5, "train": 0.1, "after": 0.0})
    python.write_text(f"#!/bin/sh\necho talks\necho '{said}'\n")
    os.chmod(python, 0o755)
    found = apps.theirs(Peer("any", "any", "svm_liblinear"), str(tmp_path), str(python))
    assert found is not None
    assert found["quality"] == 1.5
    assert found["total"] > 0


def test_a_bench_that_starts_no_peers_takes_no_python() -> None:
    with pytest.raises(UsageError, match="--peers /usr/bin/python3: the peers of bench parse are measured by this"):
        run("parse", quick=True, peers="/usr/bin/python3")


@pytest.mark.parametrize("numbers", [False, True])
def test_sparse_data_is_the_same_each_time(numbers: bool, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        made.sparse(tmp_path / name, 500, 200, numbers=numbers)
    texts = [(tmp_path / name / "train.libsvm").read_bytes() for name in ("a", "b")]
    assert texts[0] == texts[1]
    schema = scan(str(tmp_path / "a" / "train.libsvm"), label="number" if numbers else "class").schema
    assert schema.sparse
    assert schema.classes == (0 if numbers else 2)


def test_ratings_are_in_bounds(tmp_path: Path) -> None:
    made.ratings(tmp_path, 2000, 50, 20)
    dataset = scan(str(tmp_path / "train.parquet"), label=None)
    assert dataset.rows == 2000


def test_a_corpus_is_of_counts(tmp_path: Path) -> None:
    made.corpus(tmp_path, 100, 60, 5)
    first = (tmp_path / "train.libsvm").read_text().splitlines()[0].split()
    assert first[0] == "0"
    assert all(float(pair.split(":")[1]).is_integer() for pair in first[1:])
    assert len((tmp_path / "test.libsvm").read_text().splitlines()) == 500
