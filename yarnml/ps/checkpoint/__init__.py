"""Rows as of a clock: taken while work goes on, kept as files, and read back by any number of servers."""
