"""Functions: what a server does to a row with an increment. One file a function."""

from yarnml.ps.functions.adagrad import AdaGrad
from yarnml.ps.functions.adam import Adam
from yarnml.ps.functions.adarevision import AdaRevision
from yarnml.ps.functions.add import Add
from yarnml.ps.functions.assign import Assign
from yarnml.ps.functions.ball import Ball
from yarnml.ps.functions.elastic import Elastic
from yarnml.ps.functions.function import Function, Increment
from yarnml.ps.functions.imported import imported
from yarnml.ps.functions.l1 import L1
from yarnml.ps.functions.l2 import L2
from yarnml.ps.functions.max import Max
from yarnml.ps.functions.min import Min
from yarnml.ps.functions.nonnegative import NonNegative
from yarnml.ps.functions.proximal import Proximal
from yarnml.ps.functions.simplex import Simplex
from yarnml.ps.functions.then import Then

__all__ = [
    "L1",
    "L2",
    "AdaGrad",
    "AdaRevision",
    "Adam",
    "Add",
    "Assign",
    "Ball",
    "Elastic",
    "Function",
    "Increment",
    "Max",
    "Min",
    "NonNegative",
    "Proximal",
    "Simplex",
    "Then",
    "imported",
]
