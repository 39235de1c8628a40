"""Shape: how a CSV data set is written, by its first rows: what separates columns, what quotes are, its header."""

from __future__ import annotations

import csv as sheets
import io
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from hdfs_io.comma import has_comma
from hdfs_io.errors import DataError
from hdfs_io.foreign import refuse_text_kind
from hdfs_io.kernels.records import NEWLINE, QUOTE, begins, doubt
from hdfs_io.listing import DataFile
from hdfs_io.options import Quote, ReadOptions, Roles
from hdfs_io.text import MARK, opening

SEPARATORS = (",", "\t", ";", "|", "\x01", " ")  # the first of those that fit equally well; blanks if nothing else fits
RARE = (":", "^", "~", "!")  # that are looked for if none of these fits
NAME = re.compile(r"[^\W\d][\w /()%#-]{,39}")  # of a column
ROWS = 6  # below a header, from which on names are told from words
REPEATED = 3  # times that each of some column's words comes there, in the mean


def shape_of(file: DataFile, options: ReadOptions, known: Collection[str] = ()) -> ReadOptions:
    """The options of a CSV data set with separator and header filled in."""
    text, ended = opening(file.url)
    refuse_text_kind(text, file.url)
    lines = lines_of(text, ended)
    plain = lines_of(unescaped(text), ended) if options.quote in ("backslash", None) else lines
    sep = options.sep or _separator_of(lines, plain, ended, quoted=options.quote != "none") or ","
    if sep in ("\\t", "tab"):
        sep = "\t"
    if len(sep) != 1:
        raise DataError(f"separator {sep!r}: must be one character")
    quote = options.quote or _quote(text, sep, ended)
    rows = records(plain if quote == "backslash" else lines, sep, quoted=quote != "none")
    header = _has_header(rows, options.roles, known, comma=sep != ",") if options.header is None else options.header
    return replace(options, sep=sep, header=header, quote=quote)


def _separator_of(lines: Sequence[str], plain: Sequence[str], ended: bool, *, quoted: bool) -> str | None:
    """The separator; of lines that none cuts alike, that of the `plain` ones, whose quotes aren't escaped."""
    for among in (SEPARATORS[:-1], SEPARATORS, RARE):
        for form in (lines,) if plain == lines else (lines, plain):
            if sep := separator(form, ended, among, quoted=quoted):
                return sep
    return None


def separator(
    lines: Sequence[str], ended: bool, among: Sequence[str] = SEPARATORS, *, quoted: bool = True
) -> str | None:
    """The separator that cuts all lines alike, into most columns; None if none does."""
    best, most = None, 1
    for sep in among:
        rows = records(lines, sep, quoted=quoted)
        widths = {len(row) for row in (rows if ended else rows[:-1])}  # the last one may be cut inside a quote
        sure = len(rows) > 1 or sep not in RARE
        if len(widths) == 1 and max(widths) > most and sure and (sep != " " or best is None):
            best, most = sep, max(widths)
    return ";" if best == "," and _have_decimals(records(lines, ";", quoted=quoted)) else best


def _have_decimals(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows of several columns have commas only in numbers, as decimal ones: they separate nothing."""
    with_comma = [cell for row in rows for cell in row if "," in cell]
    several = len({len(row) for row in rows}) == 1 and len(rows[0]) > 1
    return several and bool(with_comma) and all(map(has_comma, with_comma))


def _quote(text: bytes, sep: str, ended: bool) -> Quote:
    """What quotes are: characters like others if they close amid fields, and the lines are rows without them, too.

    Backslashes escape quotes where all records are alike so, and aren't without.
    """
    text = (text if ended else text[: text.rfind(b"\n") + 1]).removeprefix(MARK)
    if _fits(text, sep, ended):
        return "double"
    if b'\\"' in text and _fits(unescaped(text), sep, ended):
        return "backslash"
    data = np.frombuffer(text, np.uint8)
    if not doubt(data, 0, len(data), ord(sep), 0)[1]:
        return "double"
    lines = [line for line in text.split(b"\n") if line.strip()]
    return "none" if len({line.count(sep.encode()) for line in lines}) == 1 else "double"


def unescaped(text: bytes) -> bytes:
    """A sample of text as if quotes were doubled that a backslash escapes."""
    return re.sub(rb'\\([\\"])', lambda found: b'""' if found[1] == b'"' else found[1], text)


def _fits(text: bytes, sep: str, ended: bool) -> bool:
    """Whether quotes that enclose fields cut a sample into records of one width; its last may be cut off."""
    data = np.frombuffer(text, np.uint8)
    out = np.empty((np.count_nonzero(data == NEWLINE) + 1, 3), np.int64)
    widths = out[: begins(data, 0, len(data), ord(sep), QUOTE, out), 2]
    opened, loose, _ = doubt(data, 0, len(data), ord(sep), 0)
    return loose == 0 and not (ended and opened >= 0) and len(set((widths if ended else widths[:-1]).tolist())) == 1


def records(lines: Sequence[str], sep: str, *, quoted: bool = True) -> list[list[str]]:
    """The fields of the first records."""
    if sep == " " or not quoted:
        return [line.split(None if sep == " " else sep) for line in lines if line.strip()]
    rows = sheets.reader(io.StringIO("\n".join(lines), newline=""), delimiter=sep)
    try:
        return [row for row in rows if row]
    except sheets.Error:  # a field of more than 128 KiB: not the separator
        return []


def lines_of(text: bytes, ended: bool) -> list[str]:
    """The whole lines of a sample; its last one is whole if the file ends there."""
    lines = text.removeprefix(MARK).decode(errors="replace").splitlines()
    return lines if ended or len(lines) < 2 else lines[:-1]


def _has_header(rows: Sequence[Sequence[str]], roles: Roles, known: Collection[str], *, comma: bool) -> bool:
    """A first row of different words, with nothing or numbers below, or of names: one said, all `known`, or only such.

    `comma`: numbers may have a decimal comma.
    """
    if not rows:
        return False
    said = [str(column) for column in (*roles.said().values(), *(roles.features or ()))]
    if any(name in rows[0] and not _is_number(name, comma) for name in said):
        return True
    names, cells = {name for name in known if not _is_number(name, comma)}, {cell.strip() for cell in rows[0]}
    if names and (names <= cells or cells <= names):
        return True
    if any(_is_number(cell, comma) for cell in rows[0]):
        return False
    if len(rows) == 1:
        return len(set(rows[0])) == len(rows[0])
    return any(_is_number(cell, comma) for row in rows[1:20] for cell in row) or _are_names(rows[0], rows[1:])


def _are_names(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a row names columns of words: they come nowhere below, where those of some column come often."""
    names = [cell.strip() for cell in first]
    if len(rows) < ROWS or len(set(names)) < len(names) or not all(map(NAME.fullmatch, names)):
        return False
    below = [{cell.strip() for cell in column} for column in zip(*rows, strict=False)]
    if any(name in words for name, words in zip(names, below, strict=False)):
        return False
    return any(REPEATED * len(words) <= len(rows) for words in below)


def _is_number(cell: str, comma: bool) -> bool:
    try:
        float(cell)
    except ValueError:
        return comma and has_comma(cell)
    return True
