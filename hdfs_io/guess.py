"""Guess: of what format a data set is, by its name and its first rows, where the user didn't say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from hdfs_io.errors import DataError
from hdfs_io.foreign import refuse_text_kind
from hdfs_io.formats.blobs import first_in, is_tar
from hdfs_io.listing import DataFile
from hdfs_io.options import ReadOptions
from hdfs_io.shape import SEPARATORS, lines_of, separator, shape_of
from hdfs_io.text import CODECS, magic, named_codec, opening

SUFFIXES = {
    ".libsvm": "libsvm", ".svm": "libsvm", ".svmlight": "libsvm", ".csv": "csv", ".tsv": "csv",
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".arrows": "arrow", ".feather": "arrow",
    ".ldac": "ldac", ".mtx": "mm", ".mmt": "mm", "-ubyte": "idx", ".jpg": "images", ".jpeg": "images",
    ".png": "images", ".wav": "wav",
}  # fmt: skip
MAGIC = {b"PAR1": "parquet", b"ARRO": "arrow", b"\xff\xff\xff\xff": "arrow"}
BLOBS = frozenset({"images", "wav"})  # formats whose files are known by their names alone
COUNT = re.compile(r"\d+:\d+")
WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
MARKS = ".,;:!?()[]\"'\u2018\u2019\u201c\u201d\u2013\u2014-*"  # that stand around words
SENTENCE = 3  # words of a line, in the mean, from which on it is one; of ten things between blanks nine are words then
PAIRS = re.compile(r"\s*\S+(\s+qid:\d+)?(\s+\d+:\s*[^\s:]+)*\s*(#.*)?$|\s*(\d+:\s*[^\s:]+\s*)+(#.*)?$")


def telling(files: Sequence[DataFile]) -> DataFile:
    """The file that shows what a data set is: the first whose name tells a format, else the first."""
    return next((file for file in files if suffixes(file.url)[0] or is_tar(file.url)), files[0])


def readable(files: Sequence[DataFile], format: str | None) -> list[DataFile]:  # noqa: A002
    """The files without those that lie among images or sounds and are none."""
    if format not in BLOBS:
        return list(files)
    return [file for file in files if named_format(file.url) == format or is_tar(file.url)]


def form_of(file: DataFile, options: ReadOptions, known: Collection[str] = ()) -> ReadOptions:
    """Options with format, separator and header filled in, as the data set's first file tells.

    `known`: columns of a model: a first row with their names is a header.
    """
    if options.format is None:
        options = replace(options, format=format_of(file))
    return shape_of(file, options, known) if options.format == "csv" else options


def format_of(file: DataFile) -> str:
    """The format of a file by its suffix, else by its first bytes."""
    if is_tar(file.url):
        inside = first_in(file.url, lambda name: named_format(name) in BLOBS)
        found = named_format(inside)
        if found not in BLOBS:
            raise DataError(f"{file.url}: its first file is {inside!r}; of tars are read JPEG, PNG and WAV")
        return str(found)
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
    lines = [line for line in lines_of(text, ended) if line.partition("#")[0].strip()]
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
    sep = None if len(lines) == 1 else separator(lines, ended)
    if sep is not None:
        return sep != " " or 2 * sum(line.rstrip().endswith((".", "!", "?")) for line in lines) <= len(lines)
    counts = (Counter(line.count(sep) for line in lines).most_common(1)[0] for sep in SEPARATORS[:-1])
    return any(count > 0 and 10 * times >= 8 * len(lines) for count, times in counts)
