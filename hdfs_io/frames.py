"""Frames: which columns of a file hold the index of the data frame that pandas wrote there."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import pyarrow as pa

from hdfs_io.listing import DataFile

UNNAMED = re.compile(r"__index_level_\d+__")  # what pandas calls an index without a name


class Frames(ABC):
    """A reader of files that pandas writes data frames to."""

    @abstractmethod
    def schema(self, file: DataFile) -> pa.Schema:
        """The file's columns, with what its writer noted about them."""


def index_of(reader: object, file: DataFile) -> tuple[str, ...]:
    """The columns of a file that are pandas' index."""
    return index_columns(reader.schema(file)) if isinstance(reader, Frames) else ()


def index_columns(schema: pa.Schema) -> tuple[str, ...]:
    """Those that pandas' note in the schema says, and those so called: others may have kept them, and lost the note."""
    noted = _noted(schema)
    return tuple(name for name in schema.names if name in noted or UNNAMED.fullmatch(name))


def left_out(name: str) -> str:
    """A remark about such a column."""
    return f"column {name!r} is pandas' index: left out; --features names it if it is wanted"


def unnoted(index: Sequence[str], files: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """A remark for each column that is pandas' index in some files, of which `files` tell the index, and not in all."""
    for name in index:
        noted = [file for file, own in files if name in own]
        others = [file for file, own in files if name not in own]
        if noted and others:
            yield f"column {name!r} is pandas' index in {noted[0]}, and not in {others[0]}"


def _noted(schema: pa.Schema) -> list[object]:
    """Names of columns, and ranges that take none. A note that isn't one says nothing."""
    try:
        note = schema.pandas_metadata
    except ValueError:
        return []
    noted = note.get("index_columns") if isinstance(note, dict) else None
    return noted if isinstance(noted, list) else []
