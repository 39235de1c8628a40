"""Compiled loops that numpy and Arrow don't have. Each has a plain reference in the tests, tested equal."""
