"""Shelf: what a scan has parsed, kept for who loads it in the same process."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any, final

from hdfs_io.dataset import Piece
from hdfs_io.survey import Survey


@final
class Shelf:
    """Keeps what was parsed of each piece, until that is too much: then nothing of any."""

    def __init__(self, size: int) -> None:
        """`size` in bytes."""
        self._left = size
        self._kept: dict[Piece, Any] = {}
        self._lock = threading.Lock()

    @property
    def full(self) -> bool:
        return self._left <= 0

    def take(self, piece: Piece, found: Survey) -> Survey:
        """The survey without what it kept, which goes on the shelf."""
        if found.kept is None:
            return found
        tables = sum(getattr(table, "nbytes", 0) for table in found.kept)
        with self._lock:
            self._left -= 16 * found.rows + 8 * found.values + tables
            self._kept[piece] = found.kept
            if self.full:
                self._kept.clear()
        return replace(found, kept=None)

    def give(self, piece: Piece, found: Survey) -> Survey:
        """The survey with what was kept, if anything still is."""
        return replace(found, kept=self._kept[piece]) if piece in self._kept else found
