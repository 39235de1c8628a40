"""Compiled loops that numpy and Arrow don't have. Each has a plain reference in the tests, tested equal.

Numba's cache watches the file of the cached function alone: after a change to `bytes.py` or `number.py`, which
`libsvm.py` compiles in, remove `__pycache__`.
"""
