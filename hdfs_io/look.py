"""Look: what a person wants to see of a data set, and copies of it."""

from __future__ import annotations

import posixpath
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, final

import pyarrow as pa

from hdfs_io.assign import GLANCE
from hdfs_io.errors import DataError
from hdfs_io.formats import reader_for
from hdfs_io.guess import form_of, readable, suffixes, telling
from hdfs_io.hands import HANDS, SMALL, each
from hdfs_io.kinds import as_kind, widen
from hdfs_io.listing import list_files
from hdfs_io.options import SPARSE, ReadOptions
from hdfs_io.partitions import partition_names, partition_words
from hdfs_io.store import join, open_fs
from hdfs_io.text import is_blank
from hdfs_io.whole import whole

CHUNK = 8 << 20  # bytes copied at a time
MANY = 64  # files copied at a time where they are small: HDFS takes 0.4 s to say that one is whole


def head(url: str, options: ReadOptions | None = None, n: int = 10) -> pa.Table:
    """The first `n` rows as they are in the files; little more than these is read."""
    tables, have = [], 0
    for table in _opening(url, options or ReadOptions()):
        tables.append(table.slice(0, n - have))
        have += len(tables[-1])
        if have >= n:
            break
    return pa.concat_tables(_alike(tables, url), promote_options="default") if tables else pa.table({})


def _alike(tables: Sequence[pa.Table], url: str) -> Iterator[pa.Table]:
    """The tables with each column in the least type that holds it in all of them."""
    kinds: dict[str, pa.DataType] = {}
    for field in (field for table in tables for field in table.schema):
        kinds[field.name] = widen(kinds.get(field.name, pa.null()), field.type)
    for table in tables:
        columns = [as_kind(table.column(name), kinds[name], f"{url}: column {name!r}") for name in table.column_names]
        yield pa.table(columns, names=table.column_names)


def copy(src: str, dst: str, progress: Callable[[int, int], None] | None = None, *, overwrite: bool = False) -> int:
    """Copy a file or a directory with all in it between any two stores, some files at a time, whole or not at all.

    `dst` is the copy's own name; where it ends with a slash, the copy lies in it under its old name. `progress` is
    told the bytes done and the bytes in all. Returns the bytes copied.
    """
    source, path = open_fs(src)
    if not source.exists(path):
        list_files(src)  # says what is near
        raise DataError(f"{src}: copy takes one file or directory, by its name; convert takes globs and lists of them")
    single = source.isfile(path)
    if single and not dst.endswith("/"):
        _refuse_other_form(src, dst)
    sizes = {path: int(source.size(path))} if single else _sizes(source, path)
    tally = Tally(sum(sizes.values()), progress)
    if dst.endswith("/"):
        dst = join(dst, posixpath.basename(path.rstrip("/")))
    with whole(dst, overwrite) as staging:

        def copied(name: str) -> None:
            target = staging if single else join(staging, posixpath.relpath(name, path))
            _copy_file(source, name, sizes[name], target, tally)

        for _ in each(copied, sorted(sizes), _hands(sizes.values())):
            pass
    return tally.done


def _hands(sizes: Collection[int]) -> int:
    """Threads that copy files of these sizes: of small ones each waits, at the end of most, for its store to say so."""
    many = HANDS if sum(sizes) > SMALL * len(sizes) else MANY
    return max(1, min(many, len(sizes)))


def _sizes(source: Any, path: str) -> dict[str, int]:
    """The size of each file below `path`."""
    return {name: int(info["size"]) for name, info in source.find(path, detail=True).items()}


@final
class Tally:
    """The bytes that threads have copied."""

    def __init__(self, of: int, progress: Callable[[int, int], None] | None) -> None:
        self.done = 0
        self._of, self._progress = of, progress
        self._lock = threading.Lock()

    def add(self, count: int) -> None:
        with self._lock:
            self.done += count
            if self._progress is not None:
                self._progress(self.done, self._of)


def _refuse_other_form(src: str, dst: str) -> None:
    """A name that tells another format or compression than the old one would lie about the bytes."""
    old, new = (suffixes(url) for url in (src, dst))
    other_format = old[0] is not None and new[0] is not None and old[0] != new[0]
    if other_format or (any(new) and old[1] != new[1]):
        was, is_ = (" ".join(filter(None, form)) or "neither a known format nor compressed" for form in (old, new))
        raise DataError(f"{dst}: copying keeps the bytes, by their name {was}, and this name says {is_}; end it alike")


def _copy_file(source: Any, name: str, size: int, target: str, tally: Tally) -> None:
    fs, path = open_fs(target)
    fs.makedirs(posixpath.dirname(path), exist_ok=True)
    with source.open(name, "rb") as reader, fs.open(path, "wb") as writer:
        while chunk := reader.read(CHUNK):
            writer.write(chunk)
            tally.add(len(chunk))
    if fs.size(path) != size:
        raise DataError(f"{target}: the copy's size differs from that of {name}")


def _opening(url: str, options: ReadOptions) -> Iterator[pa.Table]:
    files = [file for file in list_files(url) if not is_blank(file.url, file.size)]
    if not files:
        return
    options = form_of(telling(files), options)
    files = readable(files, options.format)
    told = () if options.format in SPARSE else partition_names(url, [file.url for file in files])
    reader = reader_for(replace(options, partitions=told), GLANCE)
    kinds = dict.fromkeys(partition_words([file.url for file in files], told), "string")
    for file in files:
        yield from reader.tables(reader.uncut(file), None, kinds)
