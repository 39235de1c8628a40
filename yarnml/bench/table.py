"""Tables between two processes of this host beside plain pyzmq, and what they cost an app."""

from __future__ import annotations

from yarnml.bench.pair import Pair, compare
from yarnml.bench.row import Row

OURS, RAW, MLR = "yarnml.bench.table_ours", "yarnml.bench.table_raw", "yarnml.bench.table_mlr"
CACHED = 5.0  # us
A_CORE = 20.0  # M rows/s


def run(quick: bool = False) -> list[Row]:
    """Medians over interleaved pairs of trials; `quick`: three pairs instead of nine."""
    rounds = 3 if quick else 9
    return [
        _at_least(0.95, "inc of 1 MB blocks, GB/s", "inc", "inc", rounds),
        _at_least(0.95, "get of 1 MB blocks, GB/s", "get", "get", rounds),
        _at_least(1.4, "inc by shared memory, GB/s", "shared_inc", "inc", rounds),
        _at_least(1.4, "get by shared memory, GB/s", "shared_get", "get", rounds),
        _at_least(0.25, "inc encrypted by CURVE, GB/s", "curve_inc", "inc", rounds),
        _sparse(_at_least(0.6, "inc of 8-float rows, M rows/s", "sparse", "sparse", rounds)),
        _missed(0.6, rounds),
        _cached(),
        _mlr(1.05, rounds),
    ]


def _at_least(aim: float, name: str, ours: str, raw: str, rounds: int) -> Row:
    mine, theirs, ratio = compare(Pair(OURS, ours), Pair(RAW, raw), rounds)
    return Row(name, mine, theirs, ratio, f">= {aim}", ratio >= aim)


def _sparse(row: Row) -> Row:
    """Of a server's core, too."""
    holds = bool(row.holds) and row.ours >= A_CORE
    return Row(row.name, row.ours, row.peer, row.ratio, f"{row.aim}, ours >= {A_CORE:g}", holds)


def _missed(aim: float, rounds: int) -> Row:
    """Past the sockets, and looked for by threads that don't sleep; the peer's do."""
    mine, theirs, ratio = compare(Pair(OURS, "missed"), Pair(RAW, "echo"), rounds)
    return Row("missed get by shared memory, us", mine, theirs, ratio, f"<= {aim}", ratio <= aim)


def _cached() -> Row:
    pair = Pair(OURS, "cached")
    try:
        microseconds = min(pair.trial() for _ in range(3))
    finally:
        pair.close()
    return Row("cached get of a row, us", microseconds, None, None, f"<= {CACHED:g} us", microseconds <= CACHED)


def _mlr(aim: float, rounds: int) -> Row:
    mine, theirs, ratio = compare(Pair(MLR, "tables"), Pair(MLR, "alone"), rounds)
    return Row("mlr, clocks/s; time by ratio", mine, theirs, 1 / ratio, f"<= {aim}", 1 / ratio <= aim)
