"""Functions: what a server does to a row with an increment. One file a function."""

from yarnml.ps.functions.adagrad import AdaGrad
from yarnml.ps.functions.add import Add
from yarnml.ps.functions.assign import Assign
from yarnml.ps.functions.function import Function

__all__ = ["AdaGrad", "Add", "Assign", "Function"]
