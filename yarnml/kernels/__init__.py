"""Kernels: numba code that tables and several apps share, each with a numpy reference that it is tested against."""

COMPILING = "compiling kernels, once on each machine: nothing may be seen for half a minute"
