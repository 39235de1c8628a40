"""Lasso by scheduled coordinate descent, as the tests of rounds run it."""
