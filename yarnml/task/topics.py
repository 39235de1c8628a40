"""Topics: documents, rows of word counts, are described by their shares of topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Schema
from yarnml.task.task import Columns, Partial, Task, added


@final
class Topics(Task):
    """`predict` returns share (n, K), and of document completion log_likelihood (n,) and tokens (n,).

    Completion [Wallach et al. 2009]: shares are found from one half of a document's tokens, and the log likelihood
    (natural) is that of its other `tokens`. It may return more columns, which are written as they are.
    """

    name = "topics"
    label = None
    watch = "perplexity"
    enough = 10_000  # to find a document's shares takes as long as to sample its tokens many times

    def partial(self, columns: Columns, y: NDArray[Any] | None, weight: NDArray[np.float32] | None) -> Partial:  # noqa: ARG002
        return {"sums": np.array([columns["log_likelihood"].sum(dtype=np.float64), columns["tokens"].sum()])}

    def merge(self, partials: Sequence[Partial]) -> Partial:
        return added(partials)

    def metrics(self, partial: Partial) -> dict[str, float]:
        log_likelihood, tokens = partial["sums"]
        if tokens == 0:
            return {}
        each = float(log_likelihood / tokens)
        return {"perplexity": float(np.exp(-each)), "log_likelihood": each}

    def table(self, columns: Columns, schema: Schema, top: int | None = None) -> Columns:  # noqa: ARG002
        share = columns["share"].astype(np.float64)
        share /= share.sum(axis=1, keepdims=True)
        said = {name: array for name, array in columns.items() if name not in ("share", "log_likelihood", "tokens")}
        if top is None:
            shares = {f"share_{k}": share[:, k] for k in range(share.shape[1])}
            return {"prediction": share.argmax(axis=1), **said, **shares}
        best = np.argsort(-share, axis=1, kind="stable")[:, :top]
        table: Columns = {}
        for place in range(best.shape[1]):
            table[f"prediction_{place + 1}"] = best[:, place]
            table[f"share_{place + 1}"] = np.take_along_axis(share, best[:, place : place + 1], axis=1)[:, 0]
        return {**table, **said}


def likeliest(phi: NDArray[Any], schema: Schema, n: int) -> NDArray[Any]:
    """The n words of the largest phi (V, K) in each topic, these first, as the data calls them, (K, n)."""
    best = np.argsort(-phi, axis=0, kind="stable")[:n].T
    return np.array([[schema.name(w) for w in each] for each in best.tolist()], dtype=str).reshape(best.shape)
