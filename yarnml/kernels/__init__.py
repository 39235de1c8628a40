"""Kernels: numba code that tables and several apps share, each with a numpy reference that it is tested against."""
