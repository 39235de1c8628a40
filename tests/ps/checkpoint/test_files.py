"""Checkpoints as files: what is read is what was written, by rows, or it is said what is wrong with which file."""

from __future__ import annotations

import functools
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnml.errors import DataError, UsageError
from yarnml.ps import AdaGrad, TableSpec, normal
from yarnml.ps.checkpoint.files import Saved, write_shard
from yarnml.ps.checkpoint.origin import FROM_INIT, Given, Origin
from yarnml.ps.checkpoint.snapshot import Snapshot
from yarnml.ps.server.blocks import NARROW_BLOCK
from yarnml.ps.server.shard import Shard
from yarnml.ps.spec import resolve
from yarnml.wire.message import EndClock, Patch

SPECS = resolve(
    [
        TableSpec("W", (5000, 30), init=normal(1.0)),
        TableSpec("G", (7, 2), dtype="float64", function=AdaGrad(0.1)),
        TableSpec("one", (1, 3), dtype="int64"),
    ],
    0,
)


def shard(server: int, servers: int, clock: int = 0, origin: Origin = FROM_INIT) -> Shard:
    return Shard(SPECS, server=server, servers=servers, workers=1, seed=3, clock=clock, origin=origin)


def snapshot(s: Shard, clock: int) -> Snapshot:
    assert s.parts.mark(clock)
    taken = s.parts.snapshot()
    assert taken is not None
    return taken


def save(url: str, servers: int) -> None:
    """Clock 1 of a run that has stepped with table G once."""
    for k in range(servers):
        s = shard(k, servers)
        low, high = 7 * k // servers, 7 * (k + 1) // servers
        patch = Patch(1, low, None, np.arange(low, high, dtype=float).repeat(2).reshape(-1, 2))
        s.handle(EndClock(sender=0, seq=1, clock=0, patches=(patch,)))
        write_shard(url, snapshot(s, 1))


def tables(servers: int, origin: Origin) -> list[dict[str, Any]]:
    """All that so many servers hold: by table its values and what its function keeps."""
    taken = [snapshot(shard(k, servers, 1, origin), 1) for k in range(servers)]
    found = []
    for t in range(len(SPECS)):
        chunks = [chunk for one in taken for chunk in one.tables[t][1]]
        state = {name: np.concatenate([c.state[name] for c in chunks]) for name in chunks[0].state}
        found.append({"values": np.concatenate([c.values for c in chunks]), **state})
    return found


@pytest.mark.parametrize("url", ["{}", "memory://checkpoints/{}"])
@pytest.mark.parametrize(("wrote", "reads"), [(1, 1), (3, 1), (3, 5), (2, 9)])
def test_any_number_of_servers_go_on_from_any(url: str, wrote: int, reads: int, tmp_path: Path) -> None:
    url = url.format(tmp_path)
    save(url, wrote)
    W, G, one = tables(reads, Saved(url, 1))
    np.testing.assert_array_equal(W["values"], SPECS[0].init.rows(3, "W", 0, 5000, 30).astype("float32"))
    g = np.arange(7.0)[:, None].repeat(2, axis=1)
    np.testing.assert_array_equal(G["G"], g**2)
    np.testing.assert_allclose(G["values"], -0.1 * g / (g + 1e-8 * (g == 0)), atol=1e-6)
    assert one["values"].tolist() == [[0, 0, 0]]


@functools.cache
def saved_by(servers: int) -> Saved:
    save(f"memory://any/{servers}", servers)
    return Saved(f"memory://any/{servers}", 1)


@given(st.integers(1, 4), st.integers(0, 5000), st.integers(0, 5000))
@settings(max_examples=50, deadline=None)
def test_any_rows(servers: int, a: int, b: int) -> None:
    low, high = min(a, b), max(a, b)
    chunks = list(saved_by(servers).chunks(SPECS[0], low, high))
    at = low
    for chunk in chunks:
        assert chunk.start == at
        at += len(chunk.values)
    assert at == high
    if chunks:
        whole = SPECS[0].init.rows(3, "W", 0, 5000, 30).astype("float32")
        np.testing.assert_array_equal(np.concatenate([chunk.values for chunk in chunks]), whole[low:high])


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    save(str(tmp_path), 3)
    (tmp_path / "server-1.npz").unlink()
    with pytest.raises(DataError, match=r"server-1.npz: no such file: the checkpoint isn't whole"):
        tables(1, Saved(str(tmp_path), 1))
    with pytest.raises(DataError, match=r"nowhere/server-0.npz: no such file"):
        Saved(str(tmp_path / "nowhere"), 1)


def test_another_clock_is_refused(tmp_path: Path) -> None:
    save(str(tmp_path), 1)
    with pytest.raises(DataError, match="isn't server 0's part of the checkpoint at clock 2"):
        Saved(str(tmp_path), 2)


def test_a_file_in_the_place_of_another_is_refused(tmp_path: Path) -> None:
    save(str(tmp_path), 2)
    (tmp_path / "server-0.npz").replace(tmp_path / "server-1.npz")
    save(str(tmp_path / "other"), 2)
    (tmp_path / "other" / "server-0.npz").replace(tmp_path / "server-0.npz")
    with pytest.raises(DataError, match=r"server-1.npz: isn't server 1's part"):
        tables(1, Saved(str(tmp_path), 1))


def test_tables_that_have_changed_are_named(tmp_path: Path) -> None:
    save(str(tmp_path), 1)
    saved = Saved(str(tmp_path), 1)
    with pytest.raises(UsageError, match=r"table 'W' is 5000 x 31 of float32, and in the checkpoint .* 5000 x 30"):
        list(saved.chunks(TableSpec("W", (5000, 31)), 0, 1))
    with pytest.raises(UsageError, match=r"table 'G' is 7 x 2 of float64, .* 7 x 2 of float64 with G"):
        list(saved.chunks(TableSpec("G", (7, 2), dtype="float64"), 0, 1))
    with pytest.raises(UsageError, match="has no table 'V'"):
        list(saved.chunks(TableSpec("V", (7, 2)), 0, 1))


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    save(str(tmp_path), 1)
    file = tmp_path / "server-0.npz"
    with np.load(file) as arrays:
        members = dict(arrays)
    about = json.loads(bytes(members["about"])) | {"format": 2}
    np.savez(file, **members | {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)})
    with pytest.raises(UsageError, match="has format 2, and this yarnml reads up to 1"):
        Saved(str(tmp_path), 1)


@pytest.mark.parametrize("count", [60, pytest.param(3000, marks=pytest.mark.full)])
def test_what_is_broken_is_named_and_never_read_as_something_else(count: int, tmp_path: Path) -> None:
    save(str(tmp_path), 1)
    file = tmp_path / "server-0.npz"
    right, good = tables(1, Saved(str(tmp_path), 1)), file.read_bytes()
    rng = random.Random(0)
    named = 0
    for _ in range(count):
        bad = bytearray(good)
        kind = rng.randrange(3)
        if kind == 0:
            bad = bad[: rng.randrange(len(bad))]
        for _ in range(rng.randrange(1, 4) if kind else 0):
            # the names and sizes of members lie at the end
            at = rng.randrange(len(bad)) if kind == 1 else rng.randrange(len(bad) - 4000, len(bad))
            bad[at] = rng.randrange(256)
        file.write_bytes(bad)
        try:
            found = tables(1, Saved(str(tmp_path), 1))
        except DataError as error:
            assert "server-0.npz" in str(error)  # noqa: PT017 (most are refused, and some don't matter)
            named += 1
            continue
        for was, now in zip(right, found, strict=True):
            for name in was:
                np.testing.assert_array_equal(was[name], now[name])
    assert named > count / 2


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    save(str(tmp_path), 1)
    np.savez(tmp_path / "server-0.npz", about=np.array([{"format": 1}], dtype=object))
    with pytest.raises(DataError, match="is broken"):
        Saved(str(tmp_path), 1)


def test_members_are_small(tmp_path: Path) -> None:
    """Who restores some rows reads little more than these."""
    url = str(tmp_path)
    specs = resolve([TableSpec("W", (300_000, 16))], 0)
    s = Shard(specs, server=0, servers=1, workers=1, seed=0)
    write_shard(url, snapshot(s, 0))
    with zipfile.ZipFile(tmp_path / "server-0.npz") as file:
        assert max(info.file_size for info in file.infolist()) < NARROW_BLOCK + 1024


def test_a_model_gives_values_and_state_begins_anew() -> None:
    G = np.ones((7, 2), np.float32)
    W, table, one = tables(2, Given({"G": G, "other": G}))
    assert (table["values"] == 1).all()
    assert not table["G"].any()
    assert W["values"].any()
    assert not one["values"].any()


@pytest.mark.parametrize("array", [np.ones((7, 3)), np.ones((7, 2), complex)])
def test_a_model_that_does_not_fit_is_named(array: np.ndarray[Any, Any]) -> None:
    with pytest.raises(UsageError, match=r"table 'G' of float64 \(7, 2\) can't start from an array of"):
        tables(1, Given({"G": array}))
