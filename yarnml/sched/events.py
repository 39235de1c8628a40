"""Events and effects: what the rounds' state machine hears, and what it wants done."""

from __future__ import annotations

from dataclasses import dataclass

from yarnml.sched.picks import Index, Numbers


@dataclass(frozen=True, eq=False)
class Begin:
    """The next round may begin."""


@dataclass(frozen=True, eq=False)
class Heard:
    """All planners' candidates of a round, in the planners' order."""

    round: int
    candidates: list[Index]  # (2, k) of each, as `Planner.propose` has them


@dataclass(frozen=True, eq=False)
class Judged:
    """Of each candidate of a round the place of the kept one before it that it depends on; if it is kept, its own."""

    round: int
    by: Index


@dataclass(frozen=True, eq=False)
class Moved:
    """A round has been: how much each of its picks moved, and the objective after it, if it is known."""

    picks: Index
    moved: Numbers
    objective: float | None


Event = Begin | Heard | Judged | Moved


@dataclass(frozen=True, eq=False)
class Tell:
    """Tell all planners these candidates of a round, now."""

    round: int
    candidates: Index  # (2, k)


@dataclass(frozen=True, eq=False)
class Judge:
    """Find what depends on what among these candidates, in their order; it is wanted when the round begins."""

    round: int
    candidates: Index


@dataclass(frozen=True, eq=False)
class Run:
    """Update these parameters, and tell all planners, on the way, the candidates of a later round."""

    round: int
    picks: Index
    put_off: Index
    tell: Tell | None


Effect = Tell | Judge | Run
