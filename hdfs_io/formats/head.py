"""Head: what a CSV file begins with: its columns' names, and where its rows begin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hdfs_io.errors import DataError
from hdfs_io.formats.dialect import Dialect
from hdfs_io.text import MARK

NO_TEXT = "holds bytes that are no UTF-8; convert the file, as with `iconv -f latin1 -t utf-8`"


@dataclass(frozen=True)
class Head:
    """What a file begins with."""

    names: tuple[str, ...]
    end: int  # byte where its first row begins
    size: int | None = None  # of the (decompressed) file, if all of it was seen


def head_of(url: str, begin: bytes, ended: bool, dialect: Dialect, features: Sequence[str] | None) -> Head:
    """The head of a file that begins so, which is all of it if it `ended`. Its names are those in its first row.

    `features`: there is no header. The names are c0, c1, ..., or the features' if there are just as many columns, as in
    data to predict, without the label that the model's data had in one of its columns.
    """
    size = len(begin) if ended else None
    text = np.frombuffer(begin + b"\n", np.uint8)
    lo = len(MARK) if text[: len(MARK)].tobytes() == MARK else 0
    end = dialect.first(text, lo, len(text))
    if end is None:
        raise DataError(f"{url}: its first row has no end; is this CSV?")
    first = text[lo:end].tobytes()
    if not is_utf8(first):
        at = next(at for at, line in enumerate(first.split(b"\n"), 1) if not is_utf8(line))
        raise DataError(f"{url}:{at}: the first row {NO_TEXT}")
    fields = dialect.fields(first)
    if features is not None:
        return Head(tuple(features if len(features) == len(fields) else numbered(len(fields))), lo, size)
    names = tuple(name.strip() or f"c{i}" for i, name in enumerate(fields))
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise DataError(f"{url}: its header has column {name!r} twice; name each column once")
    return Head(names, min(end, len(text) - 1), size)


def numbered(columns: int) -> list[str]:
    """The names of columns that have none."""
    return [f"c{i}" for i in range(columns)]


def is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
