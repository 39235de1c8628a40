"""Tiny: the smallest app there can be. It predicts the mean label, and takes its time if asked to."""
