"""Surveying: each worker looks at a share of a data set's pieces, and brings what it finds, step by step.

What one has brought stays: who begins again, after a death, goes on behind it. A fault ends the work of its worker, and
of those whose share is behind it: nobody will ask them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hdfs_io import join, read_text
from hdfs_io.errand import Errand, find
from hdfs_io.store import write_bytes
from hdfs_io.travel import PACKED, brought, errand_of, pack
from yarnml.app import AppConfig, Count, Worker


@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    errand: str  # file that says what is to be found out; what is found goes beside it
    step: Count  # stored bytes after which a worker brings what it has found


def work(me: Worker, cfg: Config) -> None:
    errand = errand_of(read_text(cfg.errand))
    folder = cfg.errand.rpartition("/")[0]
    steps = list(stepped(errand, errand.shares(me.workers)[me.index], cfg.step))
    rows = 0

    def heard(more: int) -> None:
        nonlocal rows
        rows += more
        me.report(rows=rows)

    for part in steps[me.clock_now :]:
        there = brought(folder)
        if any(faulty(name) and number(name) < part.start for name in there):
            return
        if not any(number(name) == part.start for name in there):
            findings = find(errand, part, me.threads, heard)
            name = f"{part.start:08d}{'-fault' * bool(findings.fault)}{PACKED}"
            write_bytes(join(folder, name), pack(findings))
        me.clock()


def stepped(errand: Errand, share: range, most: int) -> Iterator[range]:
    """The share, cut where more than `most` bytes would come together."""
    begin, size = share.start, 0
    for k in share:
        if size and size + errand.portions[k].size > most:
            yield range(begin, k)
            begin, size = k, 0
        size += errand.portions[k].size
    if begin < share.stop:
        yield range(begin, share.stop)


def number(name: str) -> int:
    """The first portion of what was brought."""
    return int(name[:8])


def faulty(name: str) -> bool:
    """Whether it ends with a fault."""
    return "-fault" in name
