"""Resolve: the columns that a user says, by name or number, as names."""

from __future__ import annotations

import csv as sheets
import re
from collections import Counter
from collections.abc import Collection, Sequence
from difflib import get_close_matches

from hdfs_io.errors import DataError
from hdfs_io.options import Column, Roles


def resolve(column: Column, names: Sequence[str], where: str) -> str:
    """The name of the column that a user gave by name or number."""
    if isinstance(column, str) and column in names:
        return column
    if isinstance(column, str) and not re.fullmatch(r"-?\d+", column):
        close = get_close_matches(column, names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(names[:20])}"
        raise DataError(f"{where}: has no column {column!r}{hint}")
    if not -len(names) <= int(column) < len(names):
        raise DataError(f"{where}: has no column {column}; they are numbered from 0 to {len(names) - 1}")
    return names[int(column)]


def apart(column: Column, names: Collection[str]) -> list[Column]:
    """The columns that a user gave as one word, `a,b`; one whose name has a comma is meant itself, or quoted."""
    if not isinstance(column, str) or column in names or "," not in column:
        return [column]
    return [name.strip() for name in next(sheets.reader([column], skipinitialspace=True))]


def resolve_roles(roles: Roles, names: Sequence[str], where: str) -> Roles:
    """The roles with names in place of numbers. A column may have one role."""
    said = {role: resolve(column, names, where) for role, column in roles.said().items()}
    for role, name in said.items():
        other = next((r for r, n in said.items() if n == name and r != role), None)
        if other is not None:
            raise DataError(f"{where}: column {name!r} can't be both {role} and {other}")
    features = None
    if roles.features is not None:
        known = set(names)
        wanted = [name for column in roles.features for name in apart(column, known)]
        features = tuple(str(c) if c in known else resolve(c, names, where) for c in wanted)
        _refuse_names(features, where)
        taken = next((role for role, name in said.items() if name in features), None)
        if taken is not None:
            raise DataError(f"{where}: column {said[taken]!r} can't be both {taken} and a feature")
    return Roles(**said, features=features)


def _refuse_names(features: Sequence[str], where: str) -> None:
    """A choice of features that is none, or names one twice."""
    if not features:
        raise DataError(f"{where}: the list of features is empty; name some, or leave it out to take all columns")
    name, times = Counter(features).most_common(1)[0]
    if times > 1:
        raise DataError(f"{where}: feature {name!r} is named twice")
