"""Fixed: the loop of rounds whose picks are known beforehand, by their numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from yarnml.sched.policy import Fixed
from yarnml.sched.runner import Round, Runner


def fixed(runner: Runner, until: int | None, name: str) -> Iterator[Round]:
    me, source = runner.me, runner.policy.source
    assert isinstance(source, Fixed)
    done = me.state(f"{name}/at", lambda: np.zeros(1, np.int64), "all")
    while runner.goes_on(until):
        number = int(done[0])
        picks = source.picks(number, runner.algorithm.parameters, me.workers)
        moved, _ = runner.run(runner.policy.share(picks, me.workers), None)
        done += 1
        me.clock()
        yield Round(number, moved.picks, moved.moved, moved.objective, np.zeros(0, np.int64))
