"""Benches: yarnml's speed beside that of others, measured in the same run; one bench a file."""
