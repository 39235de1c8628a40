"""Scan: one pass over a data set that counts its rows and decides its schema."""

from __future__ import annotations

from typing import Literal

from hdfs_io.dataset import Dataset
from hdfs_io.options import ReadOptions
from hdfs_io.schema import Schema

LabelKind = Literal["class", "number", "any"] | None


def scan(
    url: str,
    options: ReadOptions | None = None,
    *,
    label: LabelKind,
    schema: Schema | None = None,
    keep: bool = False,
    threads: int = 1,
) -> Dataset:
    """Cut `url` into pieces, count their rows and decide the schema, or read by the `schema` of a model."""
    raise NotImplementedError
