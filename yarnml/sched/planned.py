"""Planned: the loop of rounds whose picks all workers draw together, by what rounds before have found out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from yarnml.sched.events import Begin, Effect, Heard, Judge, Run, Tell
from yarnml.sched.judges import Judges
from yarnml.sched.machine import Machine
from yarnml.sched.memory import Memory
from yarnml.sched.picks import Picks
from yarnml.sched.planner import Planner
from yarnml.sched.policy import Drawn
from yarnml.sched.runner import Me, Round, Runner
from yarnml.sched.width import Width

SPARE = 2  # candidates for each pick where some are put off


def planned(runner: Runner, until: int | None, depth: int, name: str) -> Iterator[Round]:
    me, parameters = runner.me, runner.algorithm.parameters
    machine = _machine(runner, depth, name)
    with Judges(runner.policy, parameters, depth) as judges:
        todo = deque(machine.known())
        while runner.goes_on(until):
            todo.extend(machine.handle(Begin()))
            run = _next_run(me, machine, todo, judges)
            moved, told = runner.run(runner.policy.share(Picks(run.picks), me.workers), run.tell)
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


def _machine(runner: Runner, depth: int, name: str) -> Machine:
    """As it is remembered, or new."""
    me, source, parameters = runner.me, runner.policy.source, runner.algorithm.parameters
    assert isinstance(source, Drawn)
    count = drawn_by_each(source.n, runner.policy.independent is not None, parameters, me.workers, depth)
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
