"""Rounds, as several workers' machines plan them for each other, against what a model says of every round."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnml.kernels.pairs import apart
from yarnml.sched import Priority, Uniform
from yarnml.sched.events import Begin, Effect, Heard, Judge, Judged, Moved, Run
from yarnml.sched.machine import Machine
from yarnml.sched.memory import Memory
from yarnml.sched.planned import drawn_by_each
from yarnml.sched.planner import Planner
from yarnml.sched.policy import Drawn
from yarnml.sched.width import Width

MOVES = (0.0, 0.1, 1.0, 1e9, np.nan, np.inf)


@dataclass(frozen=True)
class World:
    """What is asked for, and which parameters depend on each other."""

    source: Drawn
    parameters: int
    workers: int
    depth: int
    friends: np.ndarray[Any, Any]  # (n, n)

    def machines(self, kept: list[dict[str, np.ndarray[Any, Any]]]) -> list[Machine]:
        """One for each worker, over what it remembers."""
        return [self._machine(index, kept[index]) for index in range(self.workers)]

    def _machine(self, index: int, kept: dict[str, np.ndarray[Any, Any]]) -> Machine:
        n = self.source.n
        count = drawn_by_each(n, bool(self.friends.any()), self.parameters, self.workers, self.depth)
        memory = Memory.of(
            lambda name, init: kept.setdefault(name, init()),
            self.parameters,
            max(1, self.depth),
            count * self.workers,
            n,
        )
        planner = Planner(self.source, index, self.workers, 7, memory)
        return Machine(planner, Width(n, memory.width), memory, self.depth, count)


class Model:
    """Plays rounds, and checks each."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.memories: list[dict[str, np.ndarray[Any, Any]]] = [{} for _ in range(world.workers)]
        self.picked = np.zeros(world.parameters, np.int64)
        self.told: dict[int, set[int]] = {}  # candidates of rounds that haven't been
        self.trace: list[tuple[list[int], list[int]]] = []
        self.start()

    def start(self) -> None:
        """All machines anew, over what they remember, as after a recovery."""
        self.machines = self.world.machines(self.memories)
        self.judges: deque[Any] = deque(self.machines[0].known())

    def turn(self, world: World) -> None:
        """The same parameters in another way: every worker remembers what all do."""
        self.memories = [{n: a.copy() for n, a in self.memories[0].items()} for _ in range(world.workers)]
        self.world = world
        self.start()
        self.told = {judge.round: set(judge.candidates.tolist()) for judge in self.judges}

    def round(self, moved: float | Callable[[Any], Any], objective: float | None = None) -> Run:
        runs: list[Run] = self._run(self._all(Begin()))
        for run in runs[1:]:
            np.testing.assert_array_equal(run.picks, runs[0].picks)
        self._check(runs[0])
        if runs[0].tell is not None:
            self.judges.append(self._tell([run.tell for run in runs])[0][0])
        change = moved(runs[0].picks) if callable(moved) else np.full(len(runs[0].picks), moved)
        self._all(Moved(runs[0].picks, change, objective))
        for machine, memory in zip(self.machines, self.memories, strict=True):
            machine.check()
            for name, array in memory.items():
                assert np.array_equal(array, self.memories[0][name]), name
        return runs[0]

    def _run(self, wanted: list[list[Effect]]) -> list[Any]:
        """What comes before the round: every machine wants the same, in the same order."""
        todo = deque(zip(*wanted, strict=True))
        while True:
            effects = todo.popleft() if todo else None
            if effects is None:
                todo.extend(zip(*self._all(self._judged(self.judges.popleft())), strict=True))
            elif isinstance(effects[0], Run):
                return list(effects)
            elif isinstance(effects[0], Judge):
                self.judges.append(effects[0])
            else:
                todo.extend(zip(*self._tell(list(effects)), strict=True))

    def _tell(self, tells: list[Any]) -> list[list[Effect]]:
        number = tells[0].round
        numbers = [int(n) for tell in tells for n in tell.candidates[0]]
        assert len(set(numbers)) == len(numbers)
        flying = set().union(*self.told.values())
        assert not flying & set(numbers), "one that is on its way is a candidate once more"
        self.told[number] = set(numbers)
        return self._all(Heard(number, [tell.candidates for tell in tells]))

    def _judged(self, judge: Judge) -> Judged:
        return Judged(judge.round, apart(self.world.friends[np.ix_(judge.candidates, judge.candidates)]))

    def _all(self, event: Any) -> list[list[Effect]]:
        return [machine.handle(event) for machine in self.machines]

    def _check(self, run: Run) -> None:
        picks, put_off = set(run.picks.tolist()), set(run.put_off.tolist())
        assert run.round == len(self.trace)
        assert len(picks) == len(run.picks) <= self.world.source.n
        assert picks | put_off <= self.told.pop(run.round)
        assert not picks & put_off
        assert not self.world.friends[np.ix_(run.picks, run.picks)].any(), "two picks depend on each other"
        if self.world.depth:
            ahead = {run.round + step for step in range(1, self.world.depth)}
            assert set(self.told) == ahead, "the next rounds are planned before this one has been"
        self.picked[run.picks] += 1
        self.trace.append((sorted(picks), sorted(put_off)))


@st.composite
def worlds(draw: st.DrawFn, most: int = 24) -> World:
    n = draw(st.integers(0, most))
    friends = np.random.default_rng(draw(st.integers(0, 99))).random((n, n)) < draw(st.sampled_from([0.0, 0.2, 0.9]))
    friends |= friends.T
    np.fill_diagonal(friends, False)
    source: Drawn = draw(st.sampled_from([Priority, Uniform]))(draw(st.integers(1, 10)))
    return World(source, n, draw(st.integers(1, 3)), draw(st.integers(0, 3)), friends.astype(np.int8))


@settings(deadline=None, max_examples=60)
@given(worlds(), st.lists(st.tuples(st.sampled_from(MOVES), st.none() | st.floats(-9, 9)), max_size=30))
def test_every_round_keeps_its_promises(world: World, course: list[tuple[float, float | None]]) -> None:
    model = Model(world)
    for moved, objective in course:
        model.round(moved, objective)


@pytest.mark.full
@settings(deadline=None, max_examples=3000)
@given(worlds(60), st.lists(st.tuples(st.sampled_from(MOVES), st.none() | st.floats(-9, 9)), max_size=80))
def test_every_round_keeps_its_promises_often(world: World, course: list[tuple[float, float | None]]) -> None:
    test_every_round_keeps_its_promises.hypothesis.inner_test(world, course)  # type: ignore[attr-defined]


@settings(deadline=None, max_examples=30)
@given(worlds(12), st.sampled_from([0.0, 1.0]))
def test_every_parameter_is_picked_again_and_again(world: World, moved: float) -> None:
    """Whatever the others do: here one moves by far the most, and depends on all."""
    world.friends[:1, 1:] = world.friends[1:, :1] = 1
    model = Model(world)
    for _ in range(60):
        model.round(moved)
    before = model.picked.copy()
    for _ in range(40 * max(1, world.parameters)):
        model.round(moved)
    assert (model.picked > before).all()


@settings(deadline=None, max_examples=30)
@given(worlds(), st.lists(st.sampled_from(MOVES), min_size=1, max_size=12), st.data())
def test_a_recovery_goes_on_to_the_same_picks(world: World, course: list[float], data: st.DataObject) -> None:
    whole, broken = Model(world), Model(world)
    at = data.draw(st.integers(0, len(course)))
    for number, moved in enumerate(course):
        if number == at:
            broken.start()
        whole.round(moved)
        broken.round(moved)
    assert broken.trace == whole.trace


def test_what_was_put_off_comes_before_what_put_it_off() -> None:
    """1 depends on 0, which moves a thousand times as much: they take turns."""
    world = World(Priority(2), 2, 1, 0, np.array([[0, 1], [1, 0]], np.int8))
    model = Model(world)
    for _ in range(200):
        [one] = model.round(1.0).picks
        assert one in {0, 1}
    assert model.picked.min() > 50


def test_the_first_pass_takes_each_once() -> None:
    model = Model(World(Priority(8), 64, 2, 1, np.zeros((64, 64), np.int8)))
    for _ in range(8):
        model.round(0.5)
    assert (model.picked == 1).all()


def play(model: Model, hot: int, rounds: int, objective: float | None = None) -> np.ndarray[Any, Any]:
    """Rounds in which the first `hot` parameters move, and the objective rises if there is one: picks of each."""
    before = model.picked.copy()
    for number in range(rounds):
        value = None if objective is None else objective + number
        model.round(lambda picks: (picks < hot) * 1.0, value)
    return model.picked - before


def test_what_moves_most_is_picked_most() -> None:
    picked = play(Model(World(Priority(4, floor=0.2), 100, 2, 1, np.zeros((100, 100), np.int8))), 10, 1000)
    assert picked[:10].sum() > 0.6 * picked.sum()
    assert picked.min() > 0


@pytest.mark.parametrize("workers", [1, 3])
def test_the_floor_holds_where_candidates_are_spare(workers: int) -> None:
    """Two depend on each other, so that twice as many are drawn as there is room for."""
    friends = np.zeros((100, 100), np.int8)
    friends[0, 1] = friends[1, 0] = 1
    model = Model(World(Priority(4, floor=0.2), 100, workers, 1, friends))
    play(model, 40, 100)
    cold = play(model, 40, 1000)[40:]
    due = 0.2 * 4 * 60 / 100 * 1000
    assert 0.7 * due < cold.sum() < 1.5 * due
    assert cold.min() > 0


def test_the_floor_holds_and_nobody_is_ahead_where_the_width_has_shrunk() -> None:
    model = Model(World(Priority(16, floor=0.2), 100, 2, 1, np.zeros((100, 100), np.int8)))
    play(model, 40, 100, 0.0)
    picked = play(model, 40, 1000, 100.0)
    assert picked.sum() == 1000
    assert 0.7 * 0.12 < picked[40:].sum() / 1000 < 1.7 * 0.12
    assert picked[:40].max() < 3 * picked[:40].min()


FORMS = st.tuples(st.integers(1, 10), st.integers(1, 3), st.integers(0, 3))


@settings(deadline=None, max_examples=60)
@given(worlds(), st.lists(FORMS, max_size=5))
def test_another_n_depth_or_number_of_workers_goes_on(world: World, forms: list[tuple[int, int, int]]) -> None:
    """With what is known of the parameters, and the number of rounds."""
    model = Model(world)
    for n, workers, depth in forms:
        for _ in range(4):
            model.round(1.0)
        moved = model.memories[0]["moved"].copy()
        model.turn(replace(world, source=Priority(n), workers=workers, depth=depth))
        np.testing.assert_array_equal(model.memories[0]["moved"], moved)
        for _ in range(2):
            assert len(model.round(1.0).picks) <= n
