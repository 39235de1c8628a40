"""Tables between two processes of this host beside plain pyzmq: increments, reads, latency."""

from __future__ import annotations

from yarnml.bench.pair import Pair, compare
from yarnml.bench.row import Row

SIDES = "yarnml.bench.table_sides"


def run(quick: bool = False) -> list[Row]:
    """Medians over interleaved pairs of trials; `quick`: three pairs instead of nine."""
    rounds = 3 if quick else 9
    return [
        _against("inc of 1 MB blocks, GB/s", "ours_inc", "raw_inc", rounds, at_least=0.85),
        _against("get of 1 MB blocks, GB/s", "ours_get", "raw_get", rounds, at_least=0.85),
        _against("missed get of a row, us", "ours_missed", "raw_echo", rounds, at_most=1.3),
        _cached(5.0),
    ]


def _against(
    name: str, ours: str, peer: str, rounds: int, *, at_least: float | None = None, at_most: float | None = None
) -> Row:
    mine, theirs, ratio = compare(Pair(SIDES, ours), Pair(SIDES, peer), rounds)
    if at_least is not None:
        return Row(name, mine, theirs, ratio, f">= {at_least}", ratio >= at_least)
    assert at_most is not None
    return Row(name, mine, theirs, ratio, f"<= {at_most}", ratio <= at_most)


def _cached(at_most: float) -> Row:
    pair = Pair(SIDES, "ours_cached")
    try:
        microseconds = min(pair.trial() for _ in range(3))
    finally:
        pair.close()
    return Row("cached get of a row, us", microseconds, None, None, f"<= {at_most:g} us", microseconds <= at_most)
