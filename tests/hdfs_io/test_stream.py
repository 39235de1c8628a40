"""A stream's threads are ahead as far as memory goes: pieces are read side by side, or one by one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import pytest

from hdfs_io import ReadOptions, scan, stream
from hdfs_io.formats import csv
from hdfs_io.load import in_hand

module = import_module("hdfs_io.stream")  # whose name is its function's, too
Put = Callable[[str, str | bytes], str]
ROWS = 200


@pytest.fixture
def url(put: Put, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(csv, "BLOCK", 64)
    monkeypatch.setattr(module, "GROUP", 1)
    return put("a.csv", "a,b,y\n" + "".join(f"{k},{k / 7:.4f},{k % 2}\n" for k in range(ROWS)))


def test_rows_are_in_their_order_however_much_memory_there_is(url: str) -> None:
    dataset = scan(url, label="class", piece=1000)
    assert len(dataset.pieces) > 2
    for memory in (None, 1, 1 << 20, 1 << 30):
        runs = list(stream(dataset, 0, ROWS, threads=2, memory=memory))
        assert [number for run in runs for number in run.number.tolist()] == list(range(ROWS))


def test_a_piece_is_read_to_its_end_while_the_one_before_it_is_taken(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first piece's thread goes on once the second piece's has ended."""
    dataset = scan(url, label="class", piece=1000)
    second, ended, fill = dataset.pieces[1], threading.Event(), csv.Csv.fill

    def filled(reader: csv.Csv, dataset: Any, piece: Any, *rest: Any) -> Any:
        if piece == dataset.pieces[0]:
            assert ended.wait(20)
        found = fill(reader, dataset, piece, *rest)
        if piece == second:
            ended.set()
        return found

    monkeypatch.setattr(csv.Csv, "fill", filled)
    assert sum(map(len, stream(dataset, 0, ROWS, threads=2))) == ROWS


def test_with_little_memory_a_thread_is_a_run_ahead(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = scan(url, ReadOptions(), label="class", piece=1000)
    depths = []
    monkeypatch.setattr(module, "ahead", lambda _tasks, threads, depth: depths.append((threads, depth)))
    ask = partial(stream, dataset, 0, ROWS, threads=2)
    for memory in (2 * in_hand(dataset), 2 * in_hand(dataset) + 3 * 100_000, None):
        ask(memory=memory)
    assert min(threads for threads, _ in depths) == 2
    assert depths[0][1] == 1
    assert min(depth for _, depth in depths[1:]) > ROWS
