"""Clocks whose every bit depends on all before: what a run that was brought back is compared by."""
