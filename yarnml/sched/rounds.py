"""Rounds: the one loop of every model-parallel app: plan, update, exchange, apply."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol, final

import numpy as np
from numpy.typing import NDArray

from yarnml.errors import UsageError
from yarnml.sched.algorithm import ModelParallel
from yarnml.sched.events import Begin, Effect, Heard, Judge, Moved, Run, Tell
from yarnml.sched.exchange import packed, unpacked
from yarnml.sched.judges import Judges
from yarnml.sched.machine import Machine
from yarnml.sched.memory import Memory
from yarnml.sched.picks import Index, Numbers, Picks
from yarnml.sched.planner import Planner
from yarnml.sched.policy import Drawn, Fixed, Policy, policy
from yarnml.sched.width import Width

SPARE = 2  # candidates for each pick where some are put off


class Me(Protocol):
    """What rounds need of a worker."""

    index: int
    workers: int
    seed: int
    stop: bool

    @property
    def clock_now(self) -> int: ...
    def clock(self) -> None: ...
    def gather(self, x: Any) -> list[NDArray[Any]]: ...
    def state(self, name: str, init: Callable[[], NDArray[Any]], by: Literal["all"]) -> NDArray[Any]: ...


@final
@dataclass(frozen=True, eq=False)
class Round:
    """One that has been."""

    number: int  # from 0
    picks: Index  # (k,) of all workers
    moved: Numbers  # (k,) how much each did
    objective: float | None
    put_off: Index  # candidates that depend on a pick, and will come again


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
    loop = _planned if drawn else _fixed
    yield from loop(_Crew(me, algorithm, said, objective), until, depth, name)


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


@final
@dataclass(frozen=True, eq=False)
class _Crew:
    """Who runs the rounds of what."""

    me: Me
    algorithm: ModelParallel
    policy: Policy
    objective: Callable[[], float] | None

    def goes_on(self, until: int | None) -> bool:
        return (until is None or self.me.clock_now < until) and not self.me.stop

    def run(self, picks: Picks, tell: Tell | None) -> tuple[Moved, list[Index]]:
        """A round: how much its picks moved, and what all planners told."""
        me, algorithm = self.me, self.algorithm
        part = np.asarray(algorithm.update(picks.of(me.index)))
        if tell is None:
            parts, told = me.gather(part), []
        elif me.workers == 1:
            parts, told = [part], [tell.candidates]
        else:
            messages = [unpacked(message) for message in me.gather(packed(part, tell.candidates))]
            parts, told = [message[0] for message in messages], [message[1] for message in messages]
        moved = np.asarray(algorithm.apply(picks.numbers, algorithm.aggregate(parts)), np.float64)
        value = None if self.objective is None else float(self.objective())
        return Moved(picks.numbers, moved, value), told


def _fixed(crew: _Crew, until: int | None, _depth: int, name: str) -> Iterator[Round]:
    me, source = crew.me, crew.policy.source
    assert isinstance(source, Fixed)
    done = me.state(f"{name}/at", lambda: np.zeros(1, np.int64), "all")
    while crew.goes_on(until):
        number = int(done[0])
        picks = source.picks(number, crew.algorithm.parameters, me.workers)
        moved, _ = crew.run(crew.policy.share(picks, me.workers), None)
        done += 1
        me.clock()
        yield Round(number, moved.picks, moved.moved, moved.objective, np.zeros(0, np.int64))


def _planned(crew: _Crew, until: int | None, depth: int, name: str) -> Iterator[Round]:
    me, parameters = crew.me, crew.algorithm.parameters
    machine = _machine(crew, depth, name)
    with Judges(crew.policy, parameters, depth) as judges:
        todo = deque(machine.known())
        while crew.goes_on(until):
            todo.extend(machine.handle(Begin()))
            run = _next_run(me, machine, todo, judges)
            moved, told = crew.run(crew.policy.share(Picks(run.picks), me.workers), run.tell)
            if run.tell is not None:
                todo.extend(machine.handle(Heard(run.tell.round, told)))
            machine.handle(moved)
            me.clock()
            yield Round(run.round, moved.picks, moved.moved, moved.objective, run.put_off)


def _next_run(me: Me, machine: Machine, todo: deque[Effect], judges: Judges) -> Run:
    """Do what comes before the next round."""
    while True:
        match todo.popleft() if todo else None:
            case Run() as run:
                return run
            case Judge() as judge:
                judges.begin(judge)
            case Tell(number, candidates):
                todo.extend(machine.handle(Heard(number, me.gather(candidates))))
            case None:
                todo.extend(machine.handle(judges.next()))


def _machine(crew: _Crew, depth: int, name: str) -> Machine:
    """As it is remembered, or new."""
    me, source, parameters = crew.me, crew.policy.source, crew.algorithm.parameters
    assert isinstance(source, Drawn)
    count = drawn_by_each(source.n, crew.policy.independent is not None, parameters, me.workers, depth)
    memory = Memory.of(
        lambda part, init: me.state(f"{name}/{part}", init, "all"),
        parameters,
        max(1, depth),
        count * me.workers,
        source.n,
    )
    planner = Planner(source, me.index, me.workers, me.seed, memory)
    return Machine(planner, Width(source.n, memory.width), memory, depth, count)


def drawn_by_each(n: int, some_put_off: bool, parameters: int, workers: int, depth: int) -> int:
    """Candidates of each planner for a round of n picks: never so many that none were left for the round after."""
    wanted = n * (SPARE if some_put_off else 1)
    return max(1, min(-(-wanted // workers), parameters // workers // (depth + 1)))
