"""Model-parallel rounds: which parameters are updated next, by whom, never two that depend on each other.

class Lasso(ModelParallel):
    def schedule(self): return Priority(64) | Independent(self.sample.columns)
    def update(self, picks): ...     # this worker's part of the sums
    def aggregate(self, parts): return added(parts)
    def apply(self, picks, total): ...  # on every worker alike; how much each moved

for r in rounds(me, Lasso(me, cfg)):
    me.report(objective=...)
"""

from yarnml.sched.algorithm import ModelParallel, added, joined
from yarnml.sched.balance import Balance
from yarnml.sched.chosen import Chosen
from yarnml.sched.independent import Independent
from yarnml.sched.picks import Index, Picks, shared
from yarnml.sched.policy import Policy, Source
from yarnml.sched.priority import Priority
from yarnml.sched.rotation import Rotation
from yarnml.sched.round_robin import RoundRobin
from yarnml.sched.rounds import rounds
from yarnml.sched.runner import Round
from yarnml.sched.sampled import Sampled, sampled
from yarnml.sched.uniform import Uniform

__all__ = [
    "Balance",
    "Chosen",
    "Independent",
    "Index",
    "ModelParallel",
    "Picks",
    "Policy",
    "Priority",
    "Rotation",
    "Round",
    "RoundRobin",
    "Sampled",
    "Source",
    "Uniform",
    "added",
    "joined",
    "rounds",
    "sampled",
    "shared",
]
