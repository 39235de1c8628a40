"""Rounds: what every model-parallel app loops over: plan, update, exchange, apply."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from yarnml.errors import UsageError
from yarnml.sched.algorithm import ModelParallel
from yarnml.sched.fixed import fixed
from yarnml.sched.planned import planned
from yarnml.sched.policy import Drawn, policy
from yarnml.sched.runner import Me, Round, Runner


def rounds(
    me: Me,
    algorithm: ModelParallel,
    until: int | None = None,
    *,
    depth: int = 1,
    objective: Callable[[], float] | None = None,
    name: str = "rounds",
) -> Iterator[Round]:
    """Rounds of `algorithm`, one a clock, until clock `until`, `me.stop` or whoever iterates has enough.

    `depth`: rounds that a plan is made ahead. 0: by what the last round found out, with a message of its own; 1: that
    travels with the sums; more: dependency is judged beside the updates too. `objective`, called after each round, is
    what all workers' parameters are worth, the same on all: where it rises, fewer are updated at once. `name` is that
    of its memory in `me.state`: rounds of the same name go on with the priorities of those before, whatever their n and
    depth; of other parameters, or drawn where those were fixed, UsageError. Work that is entered again goes on at
    `me.clock_now`. A round's parts and candidates are gathered: every worker hears those of all.
    """
    said = policy(algorithm.schedule())
    drawn = isinstance(said.source, Drawn)
    _refuse_other(me, name, algorithm.parameters, drawn)
    runner = Runner(me, algorithm, said, objective)
    yield from planned(runner, until, depth, name) if drawn else fixed(runner, until, name)


def _refuse_other(me: Me, name: str, parameters: int, drawn: bool) -> None:
    """Raise UsageError where what is remembered by this name is of no use."""
    were, was = me.state(f"{name}/of", lambda: np.array([parameters, drawn]), "all").tolist()
    if (were, was) != (parameters, drawn):
        of, now = (
            f"{n:,} parameters, {'drawn' if by else 'in a fixed order'}" for n, by in ((were, was), (parameters, drawn))
        )
        raise UsageError(
            f"rounds {name!r} were of {of}, and now are of {now}; give these another name: rounds(name=...)"
        )
