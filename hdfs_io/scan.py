"""Scan: one pass over a data set that counts its rows and decides its schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import pyarrow as pa

from hdfs_io.assign import assign
from hdfs_io.bundle import bundled
from hdfs_io.choose import mostly_numbers
from hdfs_io.dataset import Dataset, Piece
from hdfs_io.decide import LabelKind, bare_rows, check_schema, column_schema, missing_in, rescaled, sparse_schema
from hdfs_io.errors import DataError
from hdfs_io.formats import reader_for
from hdfs_io.found import Found
from hdfs_io.guess import form_of
from hdfs_io.hands import each, hands
from hdfs_io.labels import is_text
from hdfs_io.listing import DataFile, list_all
from hdfs_io.options import SPARSE, ReadOptions
from hdfs_io.partitions import partition_names
from hdfs_io.reader import PIECE, Ask, Reader, Survey, merged
from hdfs_io.rejects import refuse_many_rejects, write_rejects
from hdfs_io.schema import Schema
from hdfs_io.shelf import Shelf
from hdfs_io.text import is_blank

__all__ = ["LabelKind", "scan"]

Progress = Callable[[int, int], None]  # parts done, of all: files that are cut, then pieces that are read
SHRINKS = 2  # times that text gets smaller by being parsed, at most: of more than that nothing need be kept


def silent(_done: int, _all: int) -> None:
    pass


def scan(
    url: str,
    options: ReadOptions | None = None,
    *,
    label: LabelKind,
    schema: Schema | None = None,
    keep: int = 0,
    threads: int = 1,
    piece: int = PIECE,
    progress: Progress = silent,
) -> Dataset:
    """Cut `url` into pieces, count their rows and decide the schema, or read by the `schema` of a model.

    `label` says what the label is: one of some classes, a number, either ("any": few whole numbers and words are
    classes), a rating of an item by a user, or not wanted (None; a column with that role is then left out of the
    features). With a `schema`, files
    without the label's column are fine: `has_label` of the result is false. `keep` lets `load` in this process use
    what was parsed here. `piece` bounds the bytes of text that a thread reads at a time.
    `progress` is told the parts done and all of them: first files that are cut, then pieces that are read.

    Raises DataError with file and line for text that can't be read, for labels that are missing (words that spell it,
    as NA does, too), nan or inf, for weights that aren't numbers from 0 up, and, as the options say, for missing
    features and for features that `schema` doesn't know. A nan in a feature of Parquet, whose statistics don't tell of
    it, is found by `load`.
    """
    return settle(survey(url, options, label, schema, keep, threads, piece, progress), label, schema)


def survey(
    url: str,
    options: ReadOptions | None = None,
    label: LabelKind = "any",
    schema: Schema | None = None,
    keep: int = 0,
    threads: int = 1,
    piece: int = PIECE,
    progress: Progress = silent,
) -> Found:
    """The pass over the data: what each piece holds, as `scan` asks."""
    listed = list_all(url)
    files = listed.files
    size = sum(file.size for file in files)
    many = hands(files[0].url, size / len(files), threads)
    keep = keep if size <= SHRINKS * keep else 0
    blank = each(lambda file: is_blank(file.url, file.size), files, many)
    full = [file for file, empty in zip(files, blank, strict=True) if not empty]
    if not full:
        raise DataError(f"{url}: all {len(files)} files are empty")
    known = () if schema is None else tuple(name for name in (schema.user, schema.item) if name is not None)
    options = form_of(full[0], options or ReadOptions(), known)
    if schema is not None and (schema.sparse and schema.inputs is None) != (options.format in SPARSE):
        raise DataError(f"{url}: is {options.format}, but the model was made from {_form(schema)} data")
    missing = options.missing or (schema.missing if schema is not None else "stop")
    told = partition_names(url, [file.url for file in full])
    options = replace(options, missing=missing, partitions=() if options.format in SPARSE else told)
    notes = list(listed.notes)
    if options.format == "parquet":
        notes += [f"{file.url}: empty, skipped" for file in files if not file.size]
    assigned = assign(url, full[0], options, label, schema)
    ask = _ask(assigned.options, label, schema, keep > 0)
    reader = reader_for(assigned.options, piece)
    pieces = bundled(reader, full, _cut(reader, full, many, progress))
    surveys = _again(reader, pieces, _surveys(reader, pieces, ask, many, keep, progress), ask, many)
    notes += assigned.notes
    whole, stored = merged(surveys), sum(file.size for file in files)
    return Found(url, assigned.options, pieces, surveys, whole, assigned.guessed, tuple(notes), stored)


def _ask(options: ReadOptions, label: LabelKind, schema: Schema | None, keep: bool) -> Ask:
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
        roles=frozenset(map(str, roles.said().values())).difference(map(str, rated)),
        limit=limit,
        keep=keep,
        dictionary="collect" if schema is None and options.words == "hot" else "drop",
        known={each.column: each.words for each in (schema.columns if schema else ()) if each.words is not None},
        means=schema is None and options.missing == "mean",
        scales=None if schema is None else {each.column: each.scale for each in schema.columns if each.scale != 1},
        skip=options.bad_rows == "skip",
        keys=tuple(str(column) for column in (roles.user, roles.item) if column is not None),
        missing=options.missing or "stop",
        unknown=options.unknown,
    )


def _cut(reader: Reader, files: Sequence[DataFile], threads: int, progress: Progress) -> list[Piece]:
    pieces: list[Piece] = []
    for done, cut in enumerate(each(reader.cut, files, threads), 1):
        pieces += cut
        progress(done, len(files))
    return pieces


def _surveys(
    reader: Reader, pieces: Sequence[Piece], ask: Ask, threads: int, keep: int, progress: Progress
) -> list[Survey]:
    """What each piece holds; what was parsed comes along if all of it is no more than `keep` bytes."""
    shelf, bare = Shelf(keep), replace(ask, keep=False)

    def look(piece: Piece) -> Survey:
        return shelf.take(piece, reader.survey(piece, bare if shelf.full else ask))

    surveys: list[Survey] = []
    for survey in each(look, pieces, threads):
        surveys.append(survey)
        progress(len(surveys), len(pieces))
    return [shelf.give(piece, survey) for piece, survey in zip(pieces, surveys, strict=True)]


def _again(
    reader: Reader, pieces: Sequence[Piece], surveys: Sequence[Survey], ask: Ask, threads: int
) -> Sequence[Survey]:
    """The surveys, made again where a piece holds words in a column that is of numbers in most rows.

    So a word among numbers is the same fault wherever pieces end.
    """
    numbers = mostly_numbers(surveys).difference(ask.known, ask.roles)
    if ask.features is not None:
        numbers &= set(ask.features)
    wrong = [k for k, survey in enumerate(surveys) if any(is_text(survey.types.get(n, pa.null())) for n in numbers)]
    better = _surveys(reader, [pieces[k] for k in wrong], replace(ask, numbers=frozenset(numbers)), threads, 0, silent)
    found = dict(zip(wrong, better, strict=True))
    return [found.get(k, survey) for k, survey in enumerate(surveys)]


def settle(found: Found, label: LabelKind, schema: Schema | None = None) -> Dataset:
    """The data set with its schema decided."""
    notes = list(found.notes)
    sparse = found.options.format in SPARSE
    has_label = label is not None and found.options.roles.label is not None and not (sparse and bare_rows(found))
    refuse_many_rejects(found)
    new = schema is None
    if not found.whole.rows:
        raise DataError(f"{found.url}: holds no rows")
    if schema is not None:
        has_label = has_label and schema.label is not None
        notes += check_schema(found, schema, has_label=has_label)
    elif sparse:
        if label is not None and not has_label:
            bag = "; if its first numbers are labels, say --format libsvm" if found.options.format == "ldac" else ""
            raise DataError(f"{found.url}: its rows have no label{bag}")
        schema, more = sparse_schema(found, label)
        notes += more
    else:
        schema, more = column_schema(found, label)
        notes += more
    if found.options.rejects is not None:
        write_rejects(found.options.rejects, found.whole.rejects)
    counted = _counted(found, rescaled(schema.columns) if new else frozenset())
    left_out = tuple(Counter(reject.kind for reject in found.whole.rejects).most_common())
    kept = tuple(survey.kept for survey in found.surveys)
    pieces, first = [], 0
    for piece, survey in zip(found.pieces, found.surveys, strict=True):
        pieces.append(replace(piece, first_row=first, rows=survey.rows, values=survey.values, bad=survey.bad))
        first += survey.rows
    return Dataset(
        url=found.url,
        options=found.options,
        schema=schema,
        pieces=tuple(pieces),
        rows=first,
        types=tuple((name, str(kind)) for name, kind in found.whole.columns),
        has_label=has_label,
        notes=(*notes, *counted, *(f"{count:,} rows left out: {kind}" for kind, count in left_out)),
        left_out=left_out,
        kept=kept if any(each is not None for each in kept) else None,
    )


def _counted(found: Found, fine: frozenset[str]) -> list[str]:
    """Remarks about values that the user allowed to be left out or replaced."""
    notes = []
    missing = missing_in(found, (), fine)
    if missing and found.options.missing != "stop":
        how = {"zero": "0", "mean": "their column's mean"}.get(str(found.options.missing), "nan")
        count = sum(fault.count for fault in missing.values())
        notes.append(f"{count:,} feature values are missing, nan or inf: read as {how}")
    if found.whole.beyond is not None:
        notes.append(f"{found.whole.beyond.count:,} values have an index that the model doesn't know: dropped")
    for name, fault in found.whole.strangers.items():
        notes.append(f"{fault.count:,} words of column {name!r} are unknown to the model: dropped ({fault.place})")
    return notes


def _form(schema: Schema) -> str:
    return "sparse libsvm" if schema.sparse else "dense"
