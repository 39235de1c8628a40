"""Target: which column is likely the label, and whether a label's values can be classes. Pure: it reads nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from hdfs_io.kinds import is_number
from hdfs_io.labels import MOST_LABELS, as_words, is_text, numbers
from hdfs_io.schema import Value
from hdfs_io.spoken import many

NAMES = ("label", "y", "target", "class", "outcome")  # what a label is called, in any case
EXACT = 1 << 53  # doubles hold every whole number below
MOST = 1000  # more classes than this have to be asked for


def plausible(classes: int, rows: int) -> bool:
    """Whether so many values in so many rows are classes: at most 2 √rows, so that a class has many rows, and MOST."""
    return classes <= MOST and classes**2 <= 4 * rows


def are_classes(column: pa.ChunkedArray) -> bool:
    """Whether these values look like classes: words, bools or whole numbers, more than one and few for their rows."""
    column = column.drop_null()
    if is_text(column.type):
        return len(pc.unique(as_words(column))) > 1 and plausible(len(pc.unique(column)), len(column))
    if not is_number(column.type):
        return False
    found = numbers(pc.unique(column))
    return len(found) > 1 and bool((found % 1 == 0).all()) and plausible(len(found), len(column))


def named(names: Sequence[str]) -> str | None:
    """The column that is called as labels are."""
    return next((name for wanted in NAMES for name in names if name.lower() == wanted), None)


def guess(names: Sequence[str], first: pa.Table) -> str:
    """The label among columns without names, by their `first` rows: the last one, but the first if only that fits."""
    only_first = are_classes(first.column(names[0])) and not are_classes(first.column(names[-1]))
    return names[0] if only_first else names[-1]


def left_in(names: Sequence[str], first: pa.Table) -> list[str]:
    """The features that look like a label, where none is wanted: by name or place, with few whole numbers."""
    if len(names) < 2:
        return []
    near = dict.fromkeys(filter(None, (named(names), names[0], names[-1])))
    return [name for name in near if is_number(first.column(name).type) and are_classes(first.column(name))][:1]


def no_classes(name: str, classes: Sequence[Value], rows: int, *, guessed: bool, alone: bool) -> str | None:
    """Why a label's values can't be classes; None if they can.

    `guessed`: by its place; what a user says to be the label may have many classes. `alone`: no other column can be it.
    """
    broken = next((value for value in classes if isinstance(value, float)), None)
    more = len(classes) > MOST_LABELS
    found = f"{f'more than {MOST_LABELS:,}' if more else f'{len(classes):,}'} different in {many(rows, 'row')}"
    if broken is not None:
        why = f"label {name!r} holds numbers such as {broken:g} ({found}), not classes"
        say = "" if alone else "say which column holds the classes: --label, or "
        return f"{why}; {say}use an app that predicts numbers"
    large = next((value for value in classes if not isinstance(value, str) and abs(value) >= EXACT), None)
    if large is not None:
        return f"label {name!r} holds {large}: numbers from 2^53 on aren't told apart; give its classes other names"
    if guessed and not plausible(len(classes), rows):
        why = f"column {name!r} was taken for the label, as none was said, but its values are hardly classes ({found})"
        return f"{why}; say which column is the label: --label"
    if more:
        return f"label {name!r} holds names or numbers of rows rather than classes ({found}); say which is the label"
    return None


def many_classes(name: str, classes: Sequence[Value], rows: int) -> list[str]:
    """A remark about a label with very many classes."""
    if plausible(len(classes), rows):
        return []
    return [
        f"label {name!r} has {len(classes):,} classes in {many(rows, 'row')}: are these classes, not numbers or names?"
    ]
