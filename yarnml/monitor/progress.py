"""Progress: what the reports of all workers amount to at one moment (pure)."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self, final

COUNTERS = frozenset(("rows", "tokens", "bytes_in", "bytes_out"))  # a worker reports them as totals since its start
WINDOW = 5.0  # seconds over which a rate is taken


@dataclass(frozen=True, kw_only=True)
class Glance:
    """A run at one moment. What nobody has reported yet is None."""

    time: float  # seconds since 1970
    seconds: float = 0.0  # since the start
    clock: int | None = None  # of the slowest worker
    epoch: float | None = None
    loss: float | None = None  # mean over the workers' latest
    staleness: float | None = None  # largest seen, in clocks
    rows_per_s: float | None = None  # of all workers together, as are the bytes
    tokens_per_s: float | None = None
    bytes_in_per_s: float | None = None
    bytes_out_per_s: float | None = None
    workers: int = 0  # that have reported
    waiting: str = ""  # what has to come before the run begins
    generation: int = 0  # how often the run went back
    setback: str = ""  # the last time: to where, and why
    restarts: int = 0  # deaths that it was brought back from, where that is known
    containers: tuple[dict[str, Any], ...] = ()  # on a cluster: seat, place, clock, memory and limit in MiB

    def to_json(self) -> dict[str, Any]:
        return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in asdict(self).items()}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        return cls(**{**value, "containers": tuple(value.get("containers", ()))})

    def parts(self) -> list[str]:
        """What there is to say, in words: `clock 12`, `loss 0.3301`, ..."""
        if self.waiting:
            return [self.waiting]
        said = [
            ("clock {:,}", self.clock),
            ("epoch {:g}", self.epoch),
            ("loss {:.5g}", self.loss),
            ("{} rows/s", _short(self.rows_per_s)),
            ("{} tokens/s", _short(self.tokens_per_s)),
            ("staleness {:g}", self.staleness),
            ("{:.1f} MB/s in", _mega(self.bytes_in_per_s)),
            ("{:.1f} MB/s out", _mega(self.bytes_out_per_s)),
            (f"{{}} worker{'s' * (self.workers != 1)}", self.workers or None),
        ]
        return [form.format(value) for form, value in said if value is not None]


@final
class Progress:
    """Takes reports in, gives glances out. Times are seconds on one clock, the caller's."""

    def __init__(self, started: float) -> None:
        self._started = started
        self._latest: dict[int, dict[str, float]] = {}
        self._counted: dict[tuple[int, str], float] = {}  # each worker's own totals
        self._done = dict.fromkeys(COUNTERS, 0.0)  # by all of them, replaced ones too: it never falls
        self._generation, self._setback = 0, ""
        self._totals: deque[tuple[float, dict[str, float]]] = deque([(started, dict(self._done))])

    def go_back(self, generation: int, why: str, now: float) -> None:
        """The run has gone back: what was reported is void."""
        self._generation, self._setback = generation, why
        self._latest.clear()
        self._totals = deque([(now, dict(self._done))])

    def take(self, worker: int, numbers: Mapping[str, float], now: float) -> None:
        """One worker's report."""
        self._latest.setdefault(worker, {}).update(numbers)
        for name in COUNTERS & numbers.keys():
            self._count(worker, name, numbers[name])
        self._totals.append((now, dict(self._done)))
        while len(self._totals) > 2 and self._totals[1][0] <= now - WINDOW:
            self._totals.popleft()

    def glance(self, now: float) -> Glance:
        clock = min(self._all("clock"), default=None)
        loss = self._all("loss")
        return Glance(
            time=now,
            seconds=now - self._started,
            clock=None if clock is None else int(clock),
            epoch=min(self._all("epoch"), default=None),
            loss=sum(loss) / len(loss) if loss else None,
            staleness=max(self._all("staleness"), default=None),
            rows_per_s=self._rate("rows", now),
            tokens_per_s=self._rate("tokens", now),
            bytes_in_per_s=self._rate("bytes_in", now),
            bytes_out_per_s=self._rate("bytes_out", now),
            workers=len(self._latest),
            generation=self._generation,
            setback=self._setback,
        )

    def _all(self, name: str) -> list[float]:
        return [numbers[name] for numbers in self._latest.values() if name in numbers]

    def _count(self, worker: int, name: str, total: float) -> None:
        """Add what a worker has done since its last report; a total that fell is a new process's, begun at 0."""
        before = self._counted.get((worker, name), 0.0)
        self._done[name] += total - before if total >= before else total
        self._counted[worker, name] = total

    def _rate(self, name: str, now: float) -> float | None:
        """Of the last `WINDOW` seconds or a little more; it falls to 0 once nobody reports any more."""
        if not self._all(name):
            return None
        old = [(then, totals) for then, totals in self._totals if then <= now - WINDOW]
        then, before = old[-1] if old else self._totals[0]
        return (self._totals[-1][1][name] - before[name]) / (now - then) if now > then else None


def short(x: float) -> str:
    """`1.25 M` for 1,250,000."""
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(x) >= limit:
            return f"{x / limit:.3g} {unit}"
    return f"{x:.3g}"


def _short(x: float | None) -> str | None:
    """Nothing of 0 too: between two reports that are far apart none has come, and much may have been done."""
    return short(x) if x else None


def _mega(x: float | None) -> float | None:
    return None if x is None else x / 1e6
