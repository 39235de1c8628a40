"""Shards and caches under random histories: what SSP promises, judged at every get and every checkpoint."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ps.world import World
from yarnml.ps import TableSpec
from yarnml.ps.managed import Managed

CLOCKS = 6


@st.composite
def tables(draw: st.DrawFn, workers: int) -> list[TableSpec]:
    count = draw(st.integers(1, 3))
    return [
        TableSpec(
            f"t{i}",
            (draw(st.sampled_from([1, 2, 7, 30, 60])), workers),
            dtype=draw(st.sampled_from(["float32", "int64"])),
            staleness=draw(st.sampled_from([0, 0, 1, 2, 4, None])),
            push=draw(st.sampled_from(["eager", "lazy"])),
        )
        for i in range(count)
    ]


def play(data: st.DataObject, seed: int, *, losses: bool = False, faults: bool = False) -> World:
    workers = data.draw(st.integers(1, 4))
    world = World(
        data.draw(tables(workers)), workers=workers, servers=data.draw(st.integers(1, 3)), seed=seed, losses=losses,
        faults=faults, limit=data.draw(st.sampled_from([None, 0, 1500])),
        managed=Managed(bandwidth=1000.0) if faults and data.draw(st.integers(0, 3)) == 0 else None,
    )  # fmt: skip
    for _ in range(400):
        world.step(CLOCKS)
    world.finish(CLOCKS)
    return world


@given(st.data(), st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_every_read_is_fresh_enough_and_counts_once(data: st.DataObject, seed: int) -> None:
    play(data, seed)


@given(st.data(), st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_broken_connections_change_nothing(data: st.DataObject, seed: int) -> None:
    play(data, seed, losses=True)


@given(st.data(), st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_deaths_and_checkpoints_change_nothing(data: st.DataObject, seed: int) -> None:
    play(data, seed, faults=True)


def test_what_can_happen_does() -> None:
    """Or the test above proves nothing."""
    specs = [TableSpec("exact", (7, 2), staleness=0), TableSpec("loose", (7, 2), staleness=1)]
    worlds = [World(specs, workers=2, servers=2, seed=seed, faults=True) for seed in range(30)]
    for world in worlds:
        for _ in range(400):
            world.step(CLOCKS)
        world.finish(CLOCKS)
    assert min(sum(w.answered for w in worlds), sum(w.refused for w in worlds)) > 100
    assert min(sum(w.generation for w in worlds), sum(w.replaced for w in worlds)) > 10
    assert sum(w.checkpoints for w in worlds) > 10
    assert sum(w.generation > 0 < w.clock for w in worlds) > 3, "a run goes back to a checkpoint"


@pytest.mark.full
@pytest.mark.timeout(3000)
@given(st.data(), st.integers(0, 2**32), st.booleans(), st.booleans())
@settings(max_examples=3000, deadline=None)
def test_consistency_full(data: st.DataObject, seed: int, losses: bool, faults: bool) -> None:
    play(data, seed, losses=losses, faults=faults)
