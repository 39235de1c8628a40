"""Written: the columns that are text over all of a data set, as it is written, though pieces take them for numbers.

Where types are guessed, a block of text that holds `00` and `01` alone is one of numbers, until a word is seen. What
is text anywhere is text everywhere; and ids that are written as no number is stay as they are. Pure: it reads nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import pyarrow as pa

from hdfs_io.codes import ZEROS, Codes, lost
from hdfs_io.labels import is_text
from hdfs_io.options import ReadOptions

EXACT = ("id", "user", "item")  # roles whose values are told apart as they are written

Columns = tuple[tuple[str, pa.DataType], ...]


def torn(parts: Iterable[Columns]) -> frozenset[str]:
    """The columns that some parts of a text take for what others don't: words, or True beside 1."""
    kinds: dict[str, set[pa.DataType]] = defaultdict(set)
    for columns in set(parts):
        for name, kind in columns:
            kinds[name].add(kind)
    return frozenset(name for name, found in kinds.items() if _is_torn(found - {pa.null()}))


def _is_torn(kinds: set[pa.DataType]) -> bool:
    return len(kinds) > 1 and any(is_text(kind) or pa.types.is_boolean(kind) for kind in kinds)


def coded(
    codes: Codes, types: Mapping[str, pa.DataType], options: ReadOptions, *, classes: bool
) -> Iterator[tuple[str, str]]:
    """The columns with a role that are to be read as text, and why: what they would lose as numbers.

    `classes`: the label's values are. One may well have a plus sign, which says nothing; too many digits are refused.
    """
    for role, column in options.roles.said().items():
        name = str(column)
        what = lost(codes.get(name, ()), types.get(name, pa.null()))
        if role == "label":
            what = tuple(each for each in what if each == ZEROS) if classes else ()
        if what and role in (*EXACT, "label"):
            yield name, " and ".join(what)


def as_text(columns: Columns, text: frozenset[str]) -> Columns:
    """The columns' types, where these are text."""
    return tuple((name, pa.string() if name in text else kind) for name, kind in columns)
