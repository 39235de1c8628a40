"""Bundle: small files that follow each other, read as one piece, so that what a piece costs is paid once for many."""

from __future__ import annotations

import posixpath
import threading
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import final

import numpy as np

from hdfs_io.dataset import Piece
from hdfs_io.framing import FRAMED
from hdfs_io.listing import DataFile
from hdfs_io.store import open_data
from hdfs_io.text import (
    LAST,
    MARK,
    OPENING,
    PAD,
    Block,
    Border,
    Further,
    blocks,
    by_magic,
    named_codec,
    refuse_binary,
    stream,
)

SMALL = 1 << 17  # stored bytes of a file that is bundled with others
MOST = 1 << 19  # bytes of a bundle: few enough that many threads read bundles from afar (hands.SMALL)
FILES = 64  # of a bundle at most: each is waited for
SEEN = 1 << 27  # bytes of small files' texts
BUNDLES = 16  # that a data set has at least, if it has so many files: they are what threads share


class Bundles(ABC):
    """A reader of text that can read small files one after the other as if they were one."""

    @abstractmethod
    def kin(self, piece: Piece) -> Hashable:
        """What files of one directory must have in common to be read as one."""


def bundled(reader: object, files: Sequence[DataFile], pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, with small whole files that follow each other in one where the reader can do that.

    A function of the files alone, so that every process that reads a share of them finds the same.
    """
    if not isinstance(reader, Bundles):
        return list(pieces)
    size = {file.url: file.size for file in files}
    most = max(1, min(FILES, len(files) // BUNDLES))
    found: list[list[Piece]] = []
    open_for: Hashable = None  # what the next piece must be like to join the last bundle
    room = 0
    for piece, alone in zip(pieces, _alone(pieces, size), strict=True):
        like = None if alone else (posixpath.dirname(piece.file), reader.kin(piece))
        if like is not None and like == open_for and len(found[-1]) < most and size[piece.file] <= room:
            found[-1].append(piece)
            room -= size[piece.file]
        else:
            found.append([piece])
            open_for, room = like, MOST - size[piece.file]
    return [replace(first, more=tuple((p.file, p.start) for p in more)) if more else first for first, *more in found]


def _alone(pieces: Sequence[Piece], size: Mapping[str, int]) -> Iterator[bool]:
    """Whether a piece is read by itself: of a large file, or a compressed one, whose text may be of any size."""
    for k, piece in enumerate(pieces):
        part = any(0 <= n < len(pieces) and pieces[n].file == piece.file for n in (k - 1, k + 1))
        yield part or size[piece.file] > SMALL or named_codec(piece.file) is not None


@final
class Seen:
    """Small files whose text was read for their first row, kept until it is read for all: so each is opened once."""

    def __init__(self, size: int = SEEN) -> None:
        """`size` in bytes: what would be more is read again."""
        self._left = size
        self._texts: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def put(self, url: str, text: bytes) -> None:
        with self._lock:
            if len(text) <= self._left and url not in self._texts:
                self._left -= len(text)
                self._texts[url] = text

    def take(self, url: str) -> bytes | None:
        """The file's decompressed text, once."""
        with self._lock:
            text = self._texts.pop(url, None)
            self._left += 0 if text is None else len(text)
            return text


def blocks_of(piece: Piece, size: int, border: Border, apart: bytes = b"", seen: Seen | None = None) -> Iterator[Block]:
    """The piece's bytes in blocks of whole rows, of about `size` bytes where it is of one file.

    A bundle is one block, but for files that hold the byte `apart`, after which one can't tell where a row ends: each
    of these is a block of its own.
    """
    files = ((piece.file, piece.start), *piece.more)
    whole = piece.stop == LAST
    known = {url: seen.take(url) for url, _ in files} if whole and seen is not None else {}
    if not piece.more and known.get(piece.file) is None:
        yield from blocks(piece.file, piece.start, piece.stop, min(size, piece.stop - piece.start), border)
        return
    waiting: list[tuple[str, int, bytes]] = []
    for url, start in files:
        text = _rows(url, known.get(url) or _text(url), start)
        if apart and apart in text:
            yield from _joined(waiting)
            yield from _joined([(url, start, text)])
            waiting = []
        else:
            waiting.append((url, start, text))
    yield from _joined(waiting)


def _text(url: str) -> bytes:
    """The decompressed file."""
    with open_data(url) as raw:
        text = bytes(raw.read())
    if by_magic(text[: len(FRAMED)]) is None:
        return text
    with stream(url) as file:
        return bytes(file.read())


def _rows(url: str, text: bytes, start: int) -> bytes:
    """A file's text from byte `start` on, with an end of its last line, without a byte order mark."""
    refuse_binary(text[:OPENING], url)
    rows = text[start:] if start else text.removeprefix(MARK)
    return rows if rows.endswith(b"\n") or not rows else rows + b"\n"


def _joined(texts: Sequence[tuple[str, int, bytes]]) -> Iterator[Block]:
    if not texts:
        return
    data = np.frombuffer(b"".join([*(text for _, _, text in texts), b"\n" * PAD]), np.uint8).copy()
    (url, offset, first), *others = texts
    later, at, line = [], len(first), first.count(b"\n")
    for name, start, text in others:
        later.append(Further(at, line, name, start))
        at, line = at + len(text), line + text.count(b"\n")
    yield Block(data, 0, at, offset, url, tuple(later))
