"""Guess: what a data set is, by its name and its first rows, where the user didn't say."""

from __future__ import annotations

import csv as sheets
import io
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from hdfs_io.comma import has_comma
from hdfs_io.errors import DataError
from hdfs_io.foreign import refuse_text_kind
from hdfs_io.formats.blobs import first_in, is_tar
from hdfs_io.kernels.records import NEWLINE, QUOTE, begins, doubt
from hdfs_io.listing import DataFile
from hdfs_io.options import Column, Quote, ReadOptions, Roles
from hdfs_io.text import CODECS, MARK, magic, named_codec, opening

SUFFIXES = {
    ".libsvm": "libsvm", ".svm": "libsvm", ".svmlight": "libsvm", ".csv": "csv", ".tsv": "csv",
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".arrows": "arrow", ".feather": "arrow",
    ".ldac": "ldac", ".mtx": "mm", ".mmt": "mm", "-ubyte": "idx", ".jpg": "images", ".jpeg": "images",
    ".png": "images", ".wav": "wav",
}  # fmt: skip
MAGIC = {b"PAR1": "parquet", b"ARRO": "arrow", b"\xff\xff\xff\xff": "arrow"}
SEPARATORS = (",", "\t", ";", "|", "\x01", " ")  # the first of those that fit equally well; blanks if nothing else fits
RARE = (":", "^", "~", "!")  # that are looked for if none of these fits
COUNT = re.compile(r"\d+:\d+")
WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
MARKS = ".,;:!?()[]\"'\u2018\u2019\u201c\u201d\u2013\u2014-*"  # that stand around words
SENTENCE = 3  # words of a line, in the mean, from which on it is one; of ten things between blanks nine are words then
NAME = re.compile(r"[^\W\d][\w /()%#-]{,39}")  # of a column
ROWS, REPEATED = (
    6,
    3,
)  # rows below a header, and how often values come there, from which on words can be told from names
PAIRS = re.compile(r"\s*\S+(\s+qid:\d+)?(\s+\d+:\s*[^\s:]+)*\s*(#.*)?$|\s*(\d+:\s*[^\s:]+\s*)+(#.*)?$")


def form_of(file: DataFile, options: ReadOptions, known: Collection[str] = ()) -> ReadOptions:
    """Options with format, separator and header filled in, as the data set's first file tells.

    `known`: columns of a model: a first row with one of these names is a header.
    """
    if options.format is None:
        options = replace(options, format=format_of(file))
    return shape_of(file, options, known) if options.format == "csv" else options


def format_of(file: DataFile) -> str:
    """The format of a file by its suffix, else by its first bytes."""
    if is_tar(file.url):
        inside = first_in(file.url)
        found = named_format(inside)
        if found not in ("images", "wav"):
            raise DataError(f"{file.url}: its first file is {inside!r}; of tars are read JPEG, PNG and WAV")
        return found
    return suffixes(file.url)[0] or _by_content(file)


def suffixes(url: str) -> tuple[str | None, str | None]:
    """Format and compression, as far as a name tells them."""
    name = url.lower()
    for suffix in CODECS:
        name = name.removesuffix(suffix)
    return named_format(name), named_codec(url)


def named_format(name: str) -> str | None:
    """The format that a name's suffix tells."""
    return next((kind for suffix, kind in SUFFIXES.items() if name.lower().endswith(suffix)), None)


def _by_content(file: DataFile) -> str:
    begin = magic(file.url)
    if begin in MAGIC:
        return MAGIC[begin]
    text, ended = opening(file.url)
    if text.startswith(b"%%MatrixMarket"):
        return "mm"
    lines = [line for line in _lines(text, ended) if line.partition("#")[0].strip()]
    if is_docword(lines):
        return "docword"
    pairs = all(PAIRS.match(line) for line in lines) and any(re.search(r"\s\d+:", f" {line}") for line in lines)
    if pairs and is_ldac(lines):
        return "ldac"
    if pairs:
        return "libsvm"
    refuse_text_kind(text, file.url)
    return "text" if are_sentences(lines) and not _separated(lines, ended) else "csv"


def is_docword(lines: Sequence[str]) -> bool:
    """Whether three numbers alone come before lines of three whole ones, which don't go beyond the first two."""
    rows = [line.split() for line in lines[:20]]
    sizes = [len(row) for row in rows]
    if len(rows) < 4 or sizes != [1, 1, 1] + [3] * (len(rows) - 3) or not all(c.isdigit() for row in rows for c in row):
        return False
    documents, words = int(rows[0][0]), int(rows[1][0])
    return all(int(row[0]) <= documents and int(row[1]) <= words for row in rows[3:])


def is_ldac(lines: Sequence[str]) -> bool:
    """Whether each line begins with the number of its pairs, and all are whole: bags of words, not labelled rows."""
    rows = [line.partition("#")[0].split() for line in lines]
    most = max((len(row) - 1 for row in rows), default=0)
    return most > 1 and all(row[0] == str(len(row) - 1) and all(map(COUNT.fullmatch, row[1:])) for row in rows)


def are_sentences(lines: Sequence[str]) -> bool:
    """Whether lines are sentences: of several words each, hardly anything else among them."""
    found = [part.strip(MARKS) for line in lines for part in line.split()]
    found = [part for part in found if part]
    words = sum(WORD.fullmatch(part) is not None for part in found)
    return len(found) >= SENTENCE * len(lines) > 0 and 10 * words >= 9 * len(found)


def _separated(lines: Sequence[str], ended: bool) -> bool:
    """Whether lines of words are rows of columns all the same: most are cut alike; by blanks, if they don't end so."""
    sep = None if len(lines) == 1 else _separator(lines, ended)
    if sep is not None:
        return sep != " " or 2 * sum(line.rstrip().endswith((".", "!", "?")) for line in lines) <= len(lines)
    counts = (Counter(line.count(sep) for line in lines).most_common(1)[0] for sep in SEPARATORS[:-1])
    return any(count > 0 and 10 * times >= 8 * len(lines) for count, times in counts)


def shape_of(file: DataFile, options: ReadOptions, known: Collection[str] = ()) -> ReadOptions:
    """The options of a CSV data set with separator and header filled in."""
    text, ended = opening(file.url)
    refuse_text_kind(text, file.url)
    lines = _lines(text, ended)
    plain = _lines(unescaped(text), ended) if options.quote in ("backslash", None) else lines
    sep = options.sep or _separator_of(lines, plain, ended) or ","
    if sep in ("\\t", "tab"):
        sep = "\t"
    if len(sep) != 1:
        raise DataError(f"separator {sep!r}: must be one character")
    quote = options.quote or _quote(text, sep, ended)
    rows = records(plain if quote == "backslash" else lines, sep, quoted=quote != "none")
    header = _has_header(rows, options.roles, known, comma=sep != ",") if options.header is None else options.header
    return replace(options, sep=sep, header=header, quote=quote)


def _separator_of(lines: Sequence[str], plain: Sequence[str], ended: bool) -> str | None:
    """The separator; of lines that none cuts alike, that of the `plain` ones, whose quotes aren't escaped."""
    for among in (SEPARATORS[:-1], SEPARATORS, RARE):
        for form in (lines,) if plain == lines else (lines, plain):
            if sep := _separator(form, ended, among):
                return sep
    return None


def unescaped(text: bytes) -> bytes:
    """A sample of text as if quotes were doubled that a backslash escapes."""
    return re.sub(rb'\\([\\"])', lambda found: b'""' if found[1] == b'"' else found[1], text)


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


def _lines(text: bytes, ended: bool) -> list[str]:
    """The whole lines of a sample; its last one is whole if the file ends there."""
    lines = text.removeprefix(MARK).decode(errors="replace").splitlines()
    return lines if ended or len(lines) < 2 else lines[:-1]


def _separator(lines: Sequence[str], ended: bool, among: Sequence[str] = SEPARATORS) -> str | None:
    """The separator that cuts all lines alike, into most columns; None if none does."""
    best, most = None, 1
    for sep in among:
        rows = records(lines, sep)
        widths = {len(row) for row in (rows if ended else rows[:-1])}  # the last one may be cut inside a quote
        sure = len(rows) > 1 or sep not in RARE
        if len(widths) == 1 and max(widths) > most and sure and (sep != " " or best is None):
            best, most = sep, max(widths)
    return ";" if best == "," and _have_decimals(records(lines, ";")) else best


def _have_decimals(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows of several columns have commas only in numbers, as decimal ones: they separate nothing."""
    with_comma = [cell for row in rows for cell in row if "," in cell]
    several = len({len(row) for row in rows}) == 1 and len(rows[0]) > 1
    return several and bool(with_comma) and all(map(has_comma, with_comma))


def _has_header(rows: Sequence[Sequence[str]], roles: Roles, known: Collection[str], *, comma: bool) -> bool:
    """A first row of different words, with nothing or numbers below, or names; or one that holds a name that is known.

    `comma`: numbers may have a decimal comma.
    """
    if not rows:
        return False
    said = [str(column) for column in (*roles.said().values(), *(roles.features or ()), *known)]
    if any(name in rows[0] and not _is_number(name, comma) for name in said):
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
