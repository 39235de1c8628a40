"""Vocabulary: what the words are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Schema, read_text
from yarnml.app import UsageError


def vocabulary(url: str | None, schema: Schema) -> Sequence[str] | None:
    """The words by number: the file's lines, or the data's column names; None where it only numbers them.

    Raises UsageError for a file that names fewer words than the data has; it may name more.
    """
    if url is None:
        return schema.features
    words = [line.strip() for line in read_text(url).splitlines()]
    if len(words) < schema.width:
        raise UsageError(
            f"--vocab {url}: names {len(words):,} words, and the data has {schema.width:,}; a word's "
            f"line is its number, from {schema.base} on"
        )
    return words


def named(words: Sequence[str] | None, base: int, number: NDArray[np.int64]) -> NDArray[Any]:
    """The words of these numbers, from 0, in an array of the same shape; `base`: what the data calls the first."""
    if words is None:
        return (number + base).astype(str)
    return np.array([[words[w] for w in row] for row in number.tolist()], dtype=str).reshape(number.shape)
