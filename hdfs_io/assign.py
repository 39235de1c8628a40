"""Assign: which column of a data set has which role: as said, as in the model, or guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from hdfs_io import target
from hdfs_io.errors import DataError
from hdfs_io.formats import reader_for
from hdfs_io.formats.head import numbered
from hdfs_io.formats.tally import LABEL
from hdfs_io.frames import left_out
from hdfs_io.listing import DataFile
from hdfs_io.options import SPARSE, TEXTS, Column, ReadOptions, Roles
from hdfs_io.rated import are_ratings, rated
from hdfs_io.resolve import resolve, resolve_roles
from hdfs_io.schema import LabelKind, Schema
from hdfs_io.spoken import listed

DOCUMENTS = TEXTS | {"images", "wav"}  # formats of rows that are texts or bytes
SHOWN = 10  # columns that a remark names
GLANCE = 1 << 16  # bytes of text parsed at a time where few rows are wanted


@dataclass(frozen=True)
class Assigned:
    """Options with the columns' names in their roles."""

    options: ReadOptions
    label: LabelKind
    notes: tuple[str, ...] = ()
    guessed: bool = False  # the label is one by its place alone: nobody said it, and it isn't called so


def assign(
    url: str, file: DataFile, options: ReadOptions, label: LabelKind, schema: Schema | None, index: Sequence[str]
) -> Assigned:
    """The roles of a data set whose first file is `file`; `index`: columns that are pandas' index in any file."""
    seen, label = label == "seen", "any" if label == "seen" else label
    if options.format in SPARSE:
        return Assigned(_of_bags(url, options), label)
    options = _of_documents(options)
    names = _names(file, options, schema)
    if schema is not None:
        by_place = tuple(_by_place(options, names, schema))
        return Assigned(replace(options, roles=_model_roles(url, options.roles, names, schema)), label, by_place)
    said = options.roles.said()
    roles = resolve_roles(options.roles, names, url)
    if label == "rating" or (seen and are_ratings(names, options.roles)):
        roles, remarks = rated(names, roles, index)
        return Assigned(replace(options, roles=roles), "rating", tuple(remarks))
    options = replace(options, roles=roles, index=tuple(_free(index, roles)))
    out = options.index if roles.features is None else ()
    notes = (*_said_index(said, roles, index), *map(left_out, out))
    free = [name for name in _free(names, roles) if name not in index]
    found = _labelled(url, file, options, free, label)
    return replace(found, notes=notes + found.notes)


def _labelled(url: str, file: DataFile, options: ReadOptions, free: Sequence[str], label: LabelKind) -> Assigned:
    """The options with a label, said or one of the `free` columns, if there is to be one."""
    roles = options.roles
    if roles.label is not None or (label is None and (not free or roles.features is not None)):
        return Assigned(options, label)
    if label is None:
        return Assigned(options, label, tuple(map(left_in, target.left_in(free, _first(file, options, free)))))
    if not free:
        raise DataError(f"{url}: has no column left for the label; say which it is")
    name = target.named(free)
    guessed = name is None
    if name is None:
        by_place = label == "number" or options.format != "csv" or bool(options.header)
        name = free[-1] if by_place else target.guess(free, _first(file, options, free))
    return Assigned(
        replace(options, roles=replace(roles, label=name)),
        label,
        (f"label is column {name!r}: guessed, as none was said",),
        guessed,
    )


def _of_bags(url: str, options: ReadOptions) -> ReadOptions:
    """Sparse rows have no columns but a label."""
    other = [role for role in options.roles.said() if role != "label"]
    if other or options.roles.features is not None:
        raise DataError(
            f"{url}: {options.format} rows have no column for {(other or ['features'])[0]}; use CSV or Parquet"
        )
    return replace(options, roles=Roles(label=LABEL if options.format == "libsvm" else None))


def _of_documents(options: ReadOptions) -> ReadOptions:
    """Rows that are texts or bytes have no features until someone makes them; their class and name are none."""
    if options.format not in DOCUMENTS:
        return options
    text = options.format in TEXTS and options.roles.text is None
    return replace(options, words="drop", roles=replace(options.roles, text="text") if text else options.roles)


def _by_place(options: ReadOptions, names: Sequence[str], schema: Schema) -> Iterator[str]:
    """A remark where a file's columns are the model's by their places alone, which nobody said."""
    wanted = [each.column for each in schema.columns]
    if options.format == "csv" and not options.header and names[: len(wanted)] == wanted != numbered(len(wanted)):
        yield f"no header: columns are taken in the order of the model's: {listed(wanted, SHOWN, str)}"


def _said_index(said: Mapping[str, Column], roles: Roles, index: Sequence[str]) -> Iterator[str]:
    """Remarks about columns that were said by number, and are pandas' index: it is the last one, unseen in pandas."""
    for role, name in roles.said().items():
        if name in index and said[role] != name:
            yield f"{role} {said[role]} is column {name!r}, pandas' index"


def left_in(name: str) -> str:
    return f"column {name!r} looks like a label: --label {name} leaves it out"


def _free(names: Sequence[str], roles: Roles) -> list[str]:
    taken = {*map(str, roles.said().values()), *map(str, roles.features or ())}
    return [name for name in names if name not in taken]


def _first(file: DataFile, options: ReadOptions, names: Sequence[str]) -> pa.Table:
    """Those of the columns that may be the label, in the file's first rows."""
    reader = reader_for(options, GLANCE)
    some = list(dict.fromkeys(filter(None, (names[0], names[-1], target.named(names)))))
    empty = pa.table({name: pa.nulls(0) for name in some})
    return next(reader.tables(reader.uncut(file), some), empty)


def _names(file: DataFile, options: ReadOptions, schema: Schema | None) -> list[str]:
    """The columns' names; those of a model where there is no header and a column for each of its features, no more."""
    features = None if schema is None else tuple(each.column for each in schema.columns)
    return reader_for(replace(options, roles=Roles(features=features))).names(file)


def _model_roles(url: str, roles: Roles, names: Sequence[str], schema: Schema) -> Roles:
    """The model's roles for the columns that the files have; what the user says of them goes first."""
    wanted = {
        "label": schema.label.name if schema.label else None,
        "weight": schema.weight,
        "id": schema.id,
        "user": schema.user,
        "item": schema.item,
    }
    known = {role: name for role, name in wanted.items() if name in names}
    said = {role: resolve(column, names, url) for role, column in roles.said().items()}
    if schema.user is not None and "rating" in said:
        said["label"] = said.pop("rating")
    return Roles(**{**known, **said}, features=tuple(each.column for each in schema.columns))
