"""Many small files elsewhere are read by many threads, and a scan says how far it has come."""

from __future__ import annotations

import threading
from pathlib import Path
from uuid import uuid4

import fsspec
import pytest

from hdfs_io import CSR, load, scan
from hdfs_io.hands import HANDS, SMALL, each, hands


def test_small_pieces_elsewhere_have_many_hands(tmp_path: Path) -> None:
    assert hands(str(tmp_path), 100, 2) == 2
    assert hands("memory://here", 100, 2) == HANDS
    assert hands("memory://here", SMALL, 2) == 2


def test_items_keep_their_order_and_share_threads() -> None:
    met = threading.Barrier(3, timeout=30)
    assert list(each(lambda item: (met.wait(), -item)[1], range(3), 3)) == [0, -1, -2]


@pytest.mark.parametrize("keep", [0, 1 << 20])
def test_a_thousand_small_files(keep: int) -> None:
    fs, folder = fsspec.filesystem("memory"), f"/{uuid4().hex}"
    for i in range(1000):
        fs.pipe_file(f"{folder}/part-{i:04d}", b"" if i % 10 == 3 else f"{i % 2} 1:{i}\n".encode())
    said: list[tuple[int, int]] = []
    dataset = scan(f"memory:/{folder}", label="class", keep=keep, progress=lambda done, of: said.append((done, of)))
    assert dataset.rows == 900
    pieces = len(dataset.pieces)
    assert said == [(k, 900) for k in range(1, 901)] + [(k, pieces) for k in range(1, pieces + 1)]
    assert pieces < 100  # many files at a time
    X = load(dataset, 0, 900).X
    assert isinstance(X, CSR)
    assert X.to_scipy().toarray()[:, 0].tolist() == [i for i in range(1000) if i % 10 != 3]
    fs.rm(folder, recursive=True)
