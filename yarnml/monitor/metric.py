"""A metric: one number that one worker reported at one clock; all apps' metrics are lines of this one form."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Self

WHERE = ("clock", "epoch")  # of what is reported, these say when; every other name is a number of its own


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One line of metrics.jsonl."""

    time: float  # seconds since 1970
    worker: int
    clock: int | None
    epoch: float | None
    name: str
    value: float

    def line(self) -> str:
        """As JSON, which has no NaN: null stands for what isn't finite."""
        value = self.value if math.isfinite(self.value) else None
        return json.dumps({**asdict(self), "value": value})

    @classmethod
    def from_line(cls, line: str) -> Self:
        fields = json.loads(line)
        return cls(**{**fields, "value": math.nan if fields["value"] is None else fields["value"]})


def metrics(numbers: Mapping[str, float], *, worker: int, time: float) -> list[Metric]:
    """What one report says, a metric for each number."""
    clock, epoch = (numbers.get(name) for name in WHERE)
    return [
        Metric(
            time=time,
            worker=worker,
            clock=None if clock is None else int(clock),
            epoch=epoch,
            name=name,
            value=float(value),
        )
        for name, value in numbers.items()
        if name not in WHERE
    ]
