"""What is wrong with data: said with the file, the line and what to do."""

from __future__ import annotations


class DataError(Exception):
    """A data set can't be read or written as asked. The message says what, where and what to do."""
