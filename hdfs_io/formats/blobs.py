"""Blobs: files as rows of bytes, in directories or tars: images and sound, to be decoded where they are used."""

from __future__ import annotations

import posixpath
import tarfile
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, final

import pyarrow as pa

from hdfs_io.dataset import Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.tabular import Batch, Tabular
from hdfs_io.formats.text import class_of, name_of
from hdfs_io.kinds import Kinds
from hdfs_io.listing import DataFile
from hdfs_io.store import open_data
from hdfs_io.survey import Ask, Survey
from hdfs_io.text import CODECS, LAST, codec, stream

BYTES, CLASS, FILE = "bytes", "class", "file"  # the columns
BATCH = 8 << 20  # bytes of rows handed over at a time
END = 512  # bytes of zeros after a tar's last member
SCHEMA = pa.schema([(BYTES, pa.binary()), (CLASS, pa.string()), (FILE, pa.string())])


class Blobs(Tabular):
    """A reader of files, alone or in tars, as rows: bytes, class (their directory, else their tar), and name."""

    @abstractmethod
    def suffixes(self) -> tuple[str, ...]:
        """How names of files end that are rows; others are passed over."""

    @final
    def own_names(self, _file: DataFile) -> list[str]:
        return [BYTES, CLASS, FILE]

    @final
    def cut(self, file: DataFile) -> list[Piece]:
        if not is_tar(file.url):
            return [self.uncut(file)] if file.url.lower().endswith(self.suffixes()) else []
        return [self.uncut(file)] if codec(file.url) else list(_cut_tar(file, self.piece))

    @final
    def uncut(self, file: DataFile) -> Piece:
        return Piece(file.url, 0, LAST)

    @final
    def survey(self, piece: Piece, ask: Ask) -> Survey:
        return self.look(piece, ask)

    @final
    def batches(self, piece: Piece, columns: Sequence[str] | None, _kinds: Kinds) -> Iterator[Batch]:
        rows: list[dict[str, Any]] = []
        size = 0
        for row in self._rows(piece):
            rows.append(row)
            size += len(row[BYTES])
            if size >= BATCH:
                yield _batch(piece, rows, columns)
                size, rows = 0, []
        if rows:
            yield _batch(piece, rows, columns)

    @final
    def _rows(self, piece: Piece) -> Iterator[dict[str, Any]]:
        if not is_tar(piece.file):
            with stream(piece.file) as raw:
                yield {BYTES: raw.read(), CLASS: class_of(piece.file), FILE: name_of(piece.file)}
            return
        with _members(piece) as members:
            for name, data in members:
                if name.lower().endswith(self.suffixes()):
                    inside = posixpath.basename(posixpath.dirname(name))
                    yield {BYTES: data, CLASS: inside or _stem(piece.file), FILE: name}


@final
class Images(Blobs):
    """Reads JPEG and PNG files; `hdfs_io.decode_image` makes arrays of them."""

    def suffixes(self) -> tuple[str, ...]:
        return (".jpg", ".jpeg", ".png")


@final
class Wav(Blobs):
    """Reads WAV files; `hdfs_io.decode_wav` makes arrays of them."""

    def suffixes(self) -> tuple[str, ...]:
        return (".wav",)


def is_tar(url: str) -> bool:
    """Whether a name is a tar's, compressed or not."""
    name = url.lower()
    for suffix in CODECS:
        name = name.removesuffix(suffix)
    return name.endswith(".tar") or url.lower().endswith(".tgz")


def first_in(url: str, wanted: Callable[[str], bool]) -> str:
    """The name of a tar's first file that is wanted, else of its first; empty if it holds none."""
    with _members(Piece(url, 0, LAST)) as members:
        names = (name for name, _ in members)
        first = next(names, "")
        return first if wanted(first) else next(filter(wanted, names), first)


def _stem(url: str) -> str:
    return name_of(url).split(".")[0]


def _batch(piece: Piece, rows: list[dict[str, Any]], columns: Sequence[str] | None) -> Batch:
    table = pa.Table.from_pylist(rows, SCHEMA)
    place = partial(_place, piece.file, [row[FILE] if is_tar(piece.file) else "" for row in rows])
    return Batch(table if columns is None else table.select(list(columns)), place)


def _place(url: str, names: Sequence[str], row: int, what: str) -> str:
    return f"{url}{':' if names[row] else ''}{names[row]}: {what}"


def _cut_tar(file: DataFile, size: int) -> Iterator[Piece]:
    """Runs of members of about `size` bytes, by the bytes where they begin and end."""
    begin = at = 0
    with open_data(file.url) as raw, _named(file.url), tarfile.open(fileobj=raw, mode="r:") as tar:
        for member in tar:
            if member.offset - begin >= size:
                yield Piece(file.url, begin, member.offset)
                begin = member.offset
        at = tar.offset
        raw.seek(at)
        if bytes(raw.read(END)) != bytes(END):
            raise DataError(f"{file.url}: cut short: a tar ends with zeros; copy it again")
    if at > begin:
        yield Piece(file.url, begin, at)


@contextmanager
def _members(piece: Piece) -> Iterator[Iterator[tuple[str, bytes]]]:
    """The files of a run of members: name and bytes."""
    packed = codec(piece.file) is not None
    with stream(piece.file, 0) as raw, _named(piece.file):
        if not packed:
            raw.seek(piece.start)
        with tarfile.open(fileobj=raw, mode="r|" if packed else "r:") as tar:
            yield _files(piece, tar)


def _files(piece: Piece, tar: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in tar:
        if member.offset >= piece.stop:
            return
        if member.isfile() and not posixpath.basename(member.name).startswith((".", "_")):
            file = tar.extractfile(member)
            assert file is not None
            data = file.read()
            if len(data) != member.size:
                raise DataError(f"{piece.file}: cut short inside {member.name!r}; copy it again")
            yield member.name, data


@contextmanager
def _named(url: str) -> Iterator[None]:
    """What tarfile raises names the file."""
    try:
        yield
    except (tarfile.TarError, EOFError) as error:
        raise DataError(f"{url}: not a whole tar ({error}); copy it again") from error
