"""Corpus: a worker's documents as tokens: one for each time that a word stands in a document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Self, TypeVar, final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hdfs_io import CSR
from yarnml.app import Worker, located
from yarnml.kernels.counts import counted, tokens
from yarnml.kernels.crew import Crew
from yarnml.kernels.shares import row_sums

T = TypeVar("T")
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F32 = NDArray[np.float32]
PARTS = 16  # of a worker's documents, and blocks of words that it samples in a clock: at most so many threads pay


def places(frequency: I64, workers: int) -> I32:
    """Where each word's counts lie in the table, (V,): dealt by frequency, so that every block has as many tokens.

    Block b of `workers` * PARTS lies between borders[b] and borders[b + 1]; frequent words come first in each.
    """
    V = len(frequency)
    at = np.arange(V)
    cuts = borders(V, workers)
    block = np.searchsorted(cuts, at, side="right") - 1
    by_turns = np.lexsort((block, at - cuts[block]))
    place = np.empty(V, np.int32)
    place[np.argsort(-frequency, kind="stable")] = by_turns
    return place


def borders(V: int, workers: int) -> I64:
    """Where blocks begin, and the last ends: those of worker b rotate together, and are cut as `Rotation` does."""
    whole = np.arange(workers + 1) * V // workers
    inner = [lo + (hi - lo) * np.arange(PARTS) // PARTS for lo, hi in pairwise(whole.tolist())]
    return np.concatenate([*inner, whole[-1:]]).astype(np.int64)


def in_parts(crew: Crew, function: Callable[[int], T]) -> list[T]:
    """What `function` returns for each of the PARTS, by all threads."""
    found = crew.each(lambda lo, hi: [function(part) for part in range(lo, hi)], PARTS, least=1)
    return [each for some in found for each in some]


def documents(me: Worker) -> CSR:
    """The counts of this worker's documents."""
    with located(me.dataset, me.data.number):
        return counted(me.data.X, me.schema.name)


@final
@dataclass(frozen=True, eq=False)
class Corpus:
    X: CSR  # counts of the worker's documents
    place: I32  # (V,)
    workers: int

    @classmethod
    def of(cls, me: Worker, place: I32) -> Self:
        return cls(documents(me), place, me.workers)

    @property
    def documents(self) -> int:
        return len(self.X)

    def lengths(self) -> I64:
        """Tokens of each document."""
        return row_sums(self.X.indptr, self.X.values)

    def in_cells(self) -> tuple[I32, I32, I64]:
        """(n,) document and place of each token, cell by cell, and where a cell begins and ends.

        The last is (PARTS, blocks, 2). Documents are cut so that each part has as many tokens.
        """
        ends = np.cumsum(self.lengths())
        n = int(ends[-1]) if len(ends) else 0
        part = np.minimum((ends - 1).clip(0) * PARTS // max(1, n), PARTS - 1).astype(np.int32)
        cuts = borders(len(self.place), self.workers)
        block = (np.searchsorted(cuts, np.arange(len(self.place)), side="right") - 1).astype(np.int32)
        begin = np.zeros(PARTS * (len(cuts) - 1) + 1, np.int64)
        document, place = np.empty(n, np.int32), np.empty(n, np.int32)
        X = self.X
        deal(X.indptr, X.indices, X.values, part, self.place, block, begin, document, place)
        return document, place, np.stack([begin[:-1], begin[1:]], axis=1).reshape(PARTS, -1, 2)

    def in_order(self) -> tuple[I64, I32]:
        """Where each document's tokens begin, and the last one's end; (n,) the place of each token."""
        begin, word = tokens(self.X)
        return begin, self.place[word]


@njit(cache=True, nogil=True)
def frequency(indices: I32, values: F32, V: int) -> I64:
    """How often each word stands in the documents, (V,)."""
    found = np.zeros(V, np.int64)
    for z in range(len(indices)):
        found[indices[z]] += np.int64(values[z])
    return found


@njit(cache=True, nogil=True)
def tally(counts: I32, row: I32, z: I32) -> None:
    """counts[row[t], z[t]] += 1 for every token t."""
    for t in range(len(z)):
        counts[row[t], z[t]] += 1


@njit(cache=True, nogil=True)
def deal(
    indptr: I64, indices: I32, values: F32, part: I32, place: I32, block: I32, begin: I64, document: I32, token: I32
) -> None:
    """Sort tokens by cell, part * blocks + block, keeping their order in each: `begin` (cells + 1,) begins with 0."""
    blocks = (len(begin) - 1) // PARTS
    for d in range(len(indptr) - 1):
        for z in range(indptr[d], indptr[d + 1]):
            begin[part[d] * blocks + block[place[indices[z]]] + 1] += np.int64(values[z])
    for cell in range(len(begin) - 1):
        begin[cell + 1] += begin[cell]
    at = begin[:-1].copy()
    for d in range(len(indptr) - 1):
        for z in range(indptr[d], indptr[d + 1]):
            w = place[indices[z]]
            cell = part[d] * blocks + block[w]
            for t in range(at[cell], at[cell] + np.int64(values[z])):
                document[t], token[t] = d, w
            at[cell] += np.int64(values[z])
