"""Plan: what a scan is going to do: files listed and cut, options filled in, the question put. It reads little."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import final

from hdfs_io.assign import assign
from hdfs_io.bundle import bundled
from hdfs_io.dataset import Piece
from hdfs_io.errand import Errand, Portion
from hdfs_io.errors import DataError
from hdfs_io.formats import reader_for
from hdfs_io.frames import index_of
from hdfs_io.guess import form_of, readable, telling
from hdfs_io.hands import each, hands
from hdfs_io.listing import DataFile, list_all
from hdfs_io.options import SPARSE, ReadOptions
from hdfs_io.partitions import partition_names, partition_words
from hdfs_io.reader import Reader
from hdfs_io.schema import LabelKind, Schema
from hdfs_io.spoken import listed, many
from hdfs_io.survey import Ask
from hdfs_io.text import LAST, is_blank

TAKEN_FOR_TEXT = "its lines are taken for texts, a row each (--format text); a file is one: --format files"
ONE_EACH = frozenset({"files", "images", "wav"})  # formats whose files are a row each
GROUPED = frozenset({"parquet", "arrow", "idx"})  # formats whose pieces are numbered groups of rows, or rows
Progress = Callable[[int, int], None]  # parts done, of all: files that are cut, then pieces that are read


@final
@dataclass(frozen=True)
class Plan:
    """A scan before its errand is done."""

    reader: Reader
    errand: Errand
    label: LabelKind  # as asked, or what was seen in the columns' names
    index: tuple[str, ...]  # columns that are pandas' index, as far as is known
    size: int  # bytes of all files, as they are stored
    hands: int  # threads that are worth having here
    guessed: bool  # the label is the column that it is by its place alone
    notes: tuple[str, ...]


def planned(
    url: str,
    options: ReadOptions | None,
    label: LabelKind,
    schema: Schema | None,
    threads: int,
    memory: int | None,
    piece: int,
    progress: Progress,
    index: Sequence[str] = (),
) -> Plan:
    """As `scan` asks. DataError for what the files' names and first rows show to be wrong.

    `index`: columns that are pandas' index in some file, whatever the first one notes.
    """
    listed = list_all(url)
    files = listed.files
    size = sum(file.size for file in files)
    readers = hands(files[0].url, size / len(files), threads, memory)
    blank = each(lambda file: is_blank(file.url, file.size), files, readers)
    full = [file for file, empty in zip(files, blank, strict=True) if not empty]
    if not full:
        raise DataError(f"{url}: {_all_empty(len(files))}")
    known = () if schema is None else _known(schema)
    said = options or ReadOptions()
    first = telling(full)
    options = form_of(first, said, known)
    if schema is not None and (schema.sparse and schema.inputs is None) != (options.format in SPARSE):
        raise DataError(f"{url}: is {options.format}, but the model was made from {_form(schema)} data")
    missing = options.missing or (schema.missing if schema is not None else "stop")
    told = partition_names(url, [file.url for file in full])
    options = replace(options, missing=missing, partitions=() if options.format in SPARSE else told)
    notes = [*listed.notes, *([TAKEN_FOR_TEXT] if (said.format, options.format) == (None, "text") else [])]
    if options.format == "parquet":
        notes += [f"{file.url}: empty, skipped" for file in files if not file.size]
    notes += _doubled(options, first) + _empty(options, len(files) - len(full))
    others = len(full)
    full = readable(full, options.format)
    notes += _passed_over(others - len(full), options.format)
    index = tuple(dict.fromkeys([*index_of(reader_for(options), first), *index]))
    assigned = assign(url, first, options, label, schema, index)
    reader = reader_for(assigned.options, piece)
    portions = tuple(_portions(reader, full, readers, progress))
    ask = _ask(assigned.options, assigned.label, schema)
    words = partition_words([file.url for file in full], assigned.options.partitions)
    errand = Errand(assigned.options, portions, replace(ask, text=ask.text | words), piece)
    return Plan(reader, errand, assigned.label, index, size, readers, assigned.guessed, (*notes, *assigned.notes))


def _known(schema: Schema) -> tuple[str, ...]:
    """The columns that a model needs."""
    keys = (schema.user, schema.item)
    return (*(name for name in keys if name is not None), *(each.column for each in schema.columns))


def _doubled(options: ReadOptions, file: DataFile) -> list[str]:
    """Remarks on columns that files have, and their directories' names tell."""
    own = reader_for(replace(options, partitions=())).names(file) if options.partitions else ()
    what = "is in the files and in their directories' names, which are believed"
    return [f"column {name!r} {what}" for name in options.partitions if name in own]


def _empty(options: ReadOptions, files: int) -> list[str]:
    """A remark on files that would be a row each, had they anything in them."""
    return [f"{many(files, 'empty file')} left out"] if files and options.format in ONE_EACH else []


def _passed_over(files: int, format: str | None) -> list[str]:  # noqa: A002
    """A remark on files that are none of the data set's."""
    name = "its name" if files == 1 else "their names"
    return [f"{many(files, 'file')} passed over, by {name} no {format}"] if files else []


def _all_empty(files: int) -> str:
    return f"all {files:,} files are empty" if files > 1 else "holds nothing"


def _portions(reader: Reader, files: Sequence[DataFile], threads: int, progress: Progress) -> Iterator[Portion]:
    uncut = {file.url for file in files if reader.cuts_by_reading and file.size > reader.piece}
    pieces: list[Piece] = []
    for done, cut in enumerate(each(partial(_cut, reader, uncut), files, threads), 1):
        pieces += cut
        progress(done, len(files))
    _refuse_headless(reader, files, pieces)
    stored = {file.url: file.size for file in files}
    groups: dict[str, int] = {}  # of each file, where it has numbered ones
    for one in pieces if reader.options.format in GROUPED else ():
        groups[one.file] = max(groups.get(one.file, 0), one.stop)
    for one in bundled(reader, files, pieces):
        yield Portion(one, _size(one, stored, groups), one.file in uncut)


def _refuse_headless(reader: Reader, files: Sequence[DataFile], pieces: Sequence[Piece]) -> None:
    """DataError for a file whose only row was taken for its header, and names none of the columns that others have."""
    if not reader.options.header or len(files) < 2:
        return
    full = {piece.file for piece in pieces}
    known = {name for file in files[:1] for name in reader.names(file)}
    for file in files:
        if file.url not in full and known.isdisjoint(names := reader.names(file)):
            row = listed(names, 3, repr)
            raise DataError(
                f"{file.url}:1: holds {row} where others have a header ({listed(sorted(known), 3, repr)}); write it in "
                "each file, or in none (--no-header)"
            )


def _size(piece: Piece, stored: Mapping[str, int], groups: Mapping[str, int]) -> int:
    """Bytes of a piece, as they are stored; of groups of rows, as if all of a file were alike."""
    if piece.file in groups:
        return stored[piece.file] * (piece.stop - piece.start) // groups[piece.file]
    if piece.stop == LAST:
        return sum(stored[name] for name in piece.files)
    return min(piece.stop, stored[piece.file]) - piece.start


def _cut(reader: Reader, uncut: set[str], file: DataFile) -> list[Piece]:
    return [Piece(file.url, 0, file.size)] if file.url in uncut else reader.cut(file)


def _ask(options: ReadOptions, label: LabelKind, schema: Schema | None) -> Ask:
    roles = options.roles
    known = None if schema is None else schema.label
    wanted = label is not None and (schema is None or known is not None)
    sparse = options.format in SPARSE
    rated = () if roles.rating is None else (roles.rating,)
    limit = (schema.base, schema.base + schema.width - 1) if schema is not None and sparse else None
    return Ask(
        label=None if not wanted or roles.label is None else str(roles.label),
        distinct=wanted and schema is None and label not in ("number", "rating"),
        classes=known.classes if wanted and known is not None else None,
        weight=None if roles.weight is None else str(roles.weight),
        features=None if roles.features is None else tuple(map(str, (*roles.features, *rated))),
        roles=frozenset(map(str, (*roles.said().values(), *options.index))).difference(map(str, rated)),
        limit=limit,
        dictionary="collect" if schema is None and options.words == "hot" else "drop",
        text=_text(options, schema),
        known={each.column: each.words for each in (schema.columns if schema else ()) if each.words is not None},
        means=schema is None and options.missing == "mean",
        scales=None if schema is None else {each.column: each.scale for each in schema.columns if each.scale != 1},
        skip=options.bad_rows == "skip",
        keys=tuple(str(column) for column in (roles.user, roles.item) if column is not None),
        missing=options.missing or "stop",
        unknown=options.unknown,
    )


def _text(options: ReadOptions, schema: Schema | None) -> frozenset[str]:
    """The columns that a model's data had words in, by their names in these files."""
    if schema is None:
        return frozenset()
    words = [each.column for each in schema.columns if each.words is not None]
    label, classes = options.roles.label, schema.label.classes if schema.label is not None else None
    return frozenset([*words, *([str(label)] if classes and isinstance(classes[0], str) else [])])


def _form(schema: Schema) -> str:
    return "sparse libsvm" if schema.sparse else "dense"
