"""Scan: one pass over a data set that counts its rows and decides its schema."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from hdfs_io.dataset import Dataset, Piece
from hdfs_io.decide import Found, LabelKind, bare_rows, check_schema, dense_schema, sparse_schema
from hdfs_io.errors import DataError
from hdfs_io.formats import reader_for
from hdfs_io.formats.libsvm import LABEL
from hdfs_io.guess import form_of, guess_label, resolve, resolve_roles
from hdfs_io.listing import DataFile, list_files
from hdfs_io.options import ReadOptions, Roles
from hdfs_io.reader import PIECE, Ask, Reader, Survey, merged
from hdfs_io.schema import Schema

__all__ = ["LabelKind", "scan"]


def scan(
    url: str,
    options: ReadOptions | None = None,
    *,
    label: LabelKind,
    schema: Schema | None = None,
    keep: bool = False,
    threads: int = 1,
    piece: int = PIECE,
) -> Dataset:
    """Cut `url` into pieces, count their rows and decide the schema, or read by the `schema` of a model.

    `label` says what the label is: one of some classes, a number, either ("any": few whole numbers and words are
    classes), or not wanted (None; a column with that role is then left out of the features). With a `schema`, files
    without the label's column are fine: `has_label` of the result is false. `keep` lets `load` in this process use
    what was parsed here. `piece` bounds the bytes of text that a thread reads at a time.

    Raises DataError with file and line for text that can't be read, for labels that are missing, nan or inf, and, as
    the options say, for missing features and for features that `schema` doesn't know.
    """
    files = list_files(url)
    full = [file for file in files if file.size]
    if not full:
        raise DataError(f"{url}: all {len(files)} files are empty")
    options = form_of(full[0], options or ReadOptions())
    notes = []
    if options.format == "parquet":
        notes += [f"{file.url}: empty, skipped" for file in files if not file.size]
    names = _names(full[0], options, schema)
    options, guessed = _roles(url, options, names, label, schema)
    ask = _ask(options, label, schema, keep)
    reader = reader_for(options, piece)
    pieces = [p for file in full for p in reader.cut(file)]
    surveys = _surveys(reader, pieces, ask, threads)
    found = Found(url, options, pieces, surveys, merged(surveys))
    return _dataset(found, label, schema, notes + guessed, keep)


def _names(file: DataFile, options: ReadOptions, schema: Schema | None) -> list[str]:
    """The columns' names; those of a model where there is no header and a column for each of its features, no more."""
    features = schema.features if schema is not None else None
    return reader_for(replace(options, roles=Roles(features=features))).names(file)


def _roles(
    url: str, options: ReadOptions, names: Sequence[str], label: LabelKind, schema: Schema | None
) -> tuple[ReadOptions, list[str]]:
    """Options with the columns' names in their roles: said, the model's, or guessed."""
    if options.format == "libsvm":
        other = [role for role in options.roles.said() if role != "label"]
        if other or options.roles.features is not None:
            raise DataError(f"{url}: libsvm rows have no column for {(other or ['features'])[0]}; use CSV or Parquet")
        return replace(options, roles=Roles(label=LABEL)), []
    if schema is not None:
        return replace(options, roles=_model_roles(url, options.roles, names, schema)), []
    roles = resolve_roles(options.roles, names, url)
    if label is None or roles.label is not None:
        return replace(options, roles=roles), []
    name = guess_label(names, [*map(str, roles.said().values()), *map(str, roles.features or ())])
    if name is None:
        raise DataError(f"{url}: has no column left for the label; say which it is")
    return replace(options, roles=replace(roles, label=name)), [f"label is column {name!r}: guessed, as none was said"]


def _model_roles(url: str, roles: Roles, names: Sequence[str], schema: Schema) -> Roles:
    """The model's roles for the columns that the files have; what the user says of them goes first."""
    wanted = {
        "label": schema.label.name if schema.label else None,
        "weight": schema.weight,
        "id": schema.id,
    }
    known = {role: name for role, name in wanted.items() if name in names}
    said = {role: resolve(column, names, url) for role, column in roles.said().items()}
    return Roles(**{**known, **said}, features=schema.features)


def _ask(options: ReadOptions, label: LabelKind, schema: Schema | None, keep: bool) -> Ask:
    roles = options.roles
    known = None if schema is None else schema.label
    wanted = label is not None and (schema is None or known is not None)
    distinct = known.classes is not None if schema is not None and known is not None else label != "number"
    limit = (schema.base, schema.base + schema.width - 1) if schema is not None and schema.sparse else None
    return Ask(
        label=None if not wanted or roles.label is None else str(roles.label),
        distinct=wanted and distinct,
        features=None if roles.features is None else tuple(map(str, roles.features)),
        roles=frozenset(map(str, roles.said().values())),
        limit=limit,
        keep=keep,
    )


def _surveys(reader: Reader, pieces: Sequence[Piece], ask: Ask, threads: int) -> list[Survey]:
    if threads == 1:
        return [reader.survey(piece, ask) for piece in pieces]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda piece: reader.survey(piece, ask), pieces))


def _dataset(found: Found, label: LabelKind, schema: Schema | None, notes: list[str], keep: bool) -> Dataset:
    sparse = found.options.format == "libsvm"
    has_label = label is not None and found.options.roles.label is not None and not (sparse and bare_rows(found))
    if schema is not None:
        if schema.sparse != sparse:
            raise DataError(f"{found.url}: is {found.options.format}, but the model was made from {_form(schema)} data")
        has_label = has_label and schema.label is not None
        notes = notes + check_schema(found, schema)
    elif not found.whole.rows:
        raise DataError(f"{found.url}: holds no rows")
    elif sparse:
        if label is not None and not has_label:
            raise DataError(f"{found.url}: its rows have no label")
        schema = sparse_schema(found, label)
    else:
        schema, more = dense_schema(found, label)
        notes = notes + more
    pieces, first = [], 0
    for piece, survey in zip(found.pieces, found.surveys, strict=True):
        pieces.append(replace(piece, first_row=first, rows=survey.rows, values=survey.values))
        first += survey.rows
    return Dataset(
        url=found.url,
        options=found.options,
        schema=schema,
        pieces=tuple(pieces),
        rows=first,
        types=tuple((name, str(kind)) for name, kind in found.whole.columns),
        has_label=has_label,
        notes=tuple(notes + _counted(found)),
        kept=tuple(survey.kept for survey in found.surveys) if keep else None,
    )


def _counted(found: Found) -> list[str]:
    """Remarks about values that the user allowed to be left out or replaced."""
    notes = []
    if found.whole.missing is not None:
        how = "0" if found.options.missing == "zero" else "nan"
        notes.append(f"{found.whole.missing.count:,} feature values are missing, nan or inf: read as {how}")
    if found.whole.beyond is not None:
        notes.append(f"{found.whole.beyond.count:,} values have an index that the model doesn't know: dropped")
    return notes


def _form(schema: Schema) -> str:
    return "sparse libsvm" if schema.sparse else "dense"
