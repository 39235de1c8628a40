"""Locate: where a row of a data set is in its files."""

from __future__ import annotations

from hdfs_io.dataset import Dataset
from hdfs_io.formats import reader_for


def locate(dataset: Dataset, number: int, what: str) -> str:
    """`file:line: what`, of the row of this global number. It reads the row's piece: only errors ask."""
    for piece in dataset.pieces:
        if piece.first_row <= number < piece.first_row + piece.rows:
            return reader_for(dataset.options).where(piece, number - piece.first_row, what)
    raise IndexError(f"{dataset.url} has {dataset.rows:,} rows, and no row {number:,}")
