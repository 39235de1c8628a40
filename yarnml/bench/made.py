"""Made: data sets of the bench of apps, train and test files of each; the same arguments, the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from hdfs_io import write

STORED = 30  # values of a sparse row, at most
RANK, NOISE = 16, 0.5  # of made ratings


def sparse(folder: Path, n: int, width: int, *, numbers: bool) -> None:
    """Rows of unit length, columns by Zipf's law, a hundredth of them with a weight: libsvm of classes, or numbers."""
    rng = np.random.default_rng(2)
    popular = np.cumsum(1.0 / (np.arange(width) + 10.0) ** 1.05)
    place = rng.permutation(width).astype(np.int32)
    w = np.zeros(width)
    w[place[rng.integers(0, 4 * max(50, width // 100), max(50, width // 100)) % width]] = 1
    w *= rng.standard_normal(width)
    for part, size in (("train", n), ("test", n // 10)):
        columns = np.sort(place[np.searchsorted(popular, rng.random((size, STORED)) * popular[-1])], axis=1)
        new = np.ones_like(columns, np.bool_)
        new[:, 1:] = columns[:, 1:] != columns[:, :-1]
        X = (np.abs(rng.standard_normal(columns.shape, np.float32)) + np.float32(0.1)) * new
        X = (X / np.linalg.norm(X, axis=1, keepdims=True)).round(5)
        score = (w[columns] * X).sum(axis=1)
        score *= 4 / score.std()
        y = score + rng.standard_normal(size) if numbers else (score + rng.logistic(size=size) > 0).astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(new.sum(axis=1))]).astype(np.int32)
        _libsvm(folder / f"{part}.libsvm", y.round(5), offsets, columns[new], X[new])


def ratings(folder: Path, n: int, users: int, items: int) -> None:
    """user, item, rating in Parquet: from biases, 16 factors and noise; few users and items have most of them."""
    rng = np.random.default_rng(3)
    P, Q = rng.standard_normal((users, RANK)) * 0.8 / RANK**0.5, rng.standard_normal((items, RANK))
    b, c = rng.normal(3.5, 0.3, users), rng.normal(0, 0.4, items)
    for part, size in (("train", n), ("test", n // 20)):
        u, i = (many - 1 - (many * rng.random(size) ** 0.6).astype(np.int64) for many in (users, items))
        r = b[u] + c[i] + NOISE * rng.standard_normal(size)
        for lo in range(0, size, 1 << 20):
            at = slice(lo, lo + (1 << 20))
            r[at] += np.einsum("nk,nk->n", P[u[at]], Q[i[at]])
        table = {"user": u.astype(np.int32), "item": i.astype(np.int32), "rating": r.clip(0.5, 5).round(2)}
        pq.write_table(pa.table(table), folder / f"{part}.parquet", row_group_size=131_072)


def corpus(folder: Path, n: int, words: int, topics: int, length: int = 100) -> None:
    """Documents of the model of LDA as libsvm of word counts, words by Zipf's law."""
    rng = np.random.default_rng(4)
    phi = rng.gamma(0.1, size=(topics, words)) / (np.arange(words) + 20.0)  # each topic has few of the words
    phi = np.cumsum(phi / phi.sum(axis=1, keepdims=True), axis=1)
    for part, size in (("train", n), ("test", max(500, n // 50))):
        tokens = rng.poisson(length, size).clip(5)
        drawn = [
            rng.multinomial(many, theta)
            for many, theta in zip(tokens, rng.dirichlet([0.1] * topics, size), strict=True)
        ]
        topic = np.concatenate([np.repeat(np.arange(topics), each) for each in drawn])
        word = np.empty(len(topic), np.int64)
        for k in range(topics):
            at = np.flatnonzero(topic == k)
            word[at] = np.searchsorted(phi[k], rng.random(len(at)) * phi[k, -1], side="right")
        key, count = np.unique(np.repeat(np.arange(size), tokens) * words + word, return_counts=True)
        offsets = np.searchsorted(key, words * np.arange(size + 1)).astype(np.int32)
        _libsvm(folder / f"{part}.libsvm", np.zeros(size, np.int64), offsets, key % words, count)


def _libsvm(
    file: Path, y: NDArray[Any], offsets: NDArray[np.int32], columns: NDArray[np.int64], X: NDArray[Any]
) -> None:
    lists = {"indices": (columns + 1).astype(np.int32), "values": X.astype(np.float32)}
    arrays = {name: pa.ListArray.from_arrays(pa.array(offsets), pa.array(array)) for name, array in lists.items()}
    write(str(file), {"label": pa.array(y), **arrays})
