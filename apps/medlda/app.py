"""Max-margin supervised topics (MedLDA), by Gibbs sampling with data augmentation.

    q(eta, Theta, Phi, Z) ~ p(eta) p(Theta) p(Phi) p(words, Z | Theta, Phi) prod_d prod_j exp(-2 c max(0, zeta_dj)),
    zeta_dj = ell - y_dj eta_j' z_d

where z_d (K,) is how much of document d has each topic, and y_dj is 1 for its class and -1 for the others; eta_j ~ N(0,
nu2 I), Theta and Phi from Dirichlets of alpha and beta, which are summed out [Zhu, Chen, Perkins, Zhang 2014, Gibbs
max-margin topic models with data augmentation]. A clock is one pass: each worker draws eta, with random numbers that
all have in common, from the moments of all documents, then lambda and topics for its own; what it adds is how counts
and moments change. The first clock only counts the topics that tokens begin with.

A new document's topic shares z are found by EM with Phi fixed, which never differ where sampled ones do, and it belongs
to the class of the largest eta_j' z.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Dataset, ReadOptions, Roles, Schema
from yarnml.app import AppConfig, Artifacts, Batch, Columns, Count, Demo, Model, Positive, UsageError, Worker, glimpse
from yarnml.kernels.counts import counted
from yarnml.kernels.shares import shares
from yarnml.ps import TableSpec
from yarnml.task import Classification
from yarnml.task.topics import likeliest

from .classifiers import draw
from .documents import Documents
from .sampler import padded

F32 = NDArray[np.float32]
SHOWN = 8  # classes in a summary
CLOCK = 11  # the purpose of the random numbers that all workers draw alike
SURE = 4.0  # of probabilities: softmax of scores, a score of `ell` being this

task = Classification()
demo = Demo("sklearn", "datasets/data/digits.csv.gz", ReadOptions(header=False, roles=Roles(label=-1)), test=0.2)


@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    k: Count | None = None  # topics; none: two for each class, at least 40
    epochs: Count = 20  # passes over the documents
    c: Positive = 1.0  # cost of a margin that is missed, against the words' likelihood
    ell: Positive = 16.0  # margin
    alpha: Positive = 5.0  # of the Dirichlet that a document's topics are from, over all topics together
    beta: Positive = 0.01  # of the Dirichlet that a topic's words are from, for each word
    nu2: Positive = 1.0  # variance of the classifiers' weights before any data
    patience: Count = 3  # with --valid: passes without a gain after which training stops

    def width(self, classes: int) -> int:
        return self.k or max(40, 2 * classes)


def tables(cfg: Config, data: Schema) -> list[TableSpec]:
    K, L = cfg.width(data.classes), data.classes
    return [
        TableSpec("words", (data.width, K), dtype="int32"),  # n_wk
        TableSpec("topics", (1, K), dtype="int64"),  # n_k
        TableSpec("moments", (L * K, K + 1), dtype="float64"),  # of the classifiers' posteriors
    ]


def check(cfg: Config, data: Dataset, rows: int) -> None:
    glimpse(data, lambda rows: counted(rows.X, data.schema.name))


def work(me: Worker, cfg: Config) -> None:
    words, topics, moments = me.table("words"), me.table("topics"), me.table("moments")
    documents = Documents(me, cfg.width(me.schema.classes), key(me))
    own = me.state("moments", np.zeros(moments.shape))  # this worker's part of them
    for batch in me.batches(me.rows, cfg.epochs + 1, cfg.patience):
        if batch.epoch == 0:
            delta = documents.counts()
        else:
            phi, n = spread(words.get(documents.used), topics.get()[0], me.schema.width, cfg.beta)
            eta = classifiers(me, cfg)
            delta, M, loss = documents.sample(phi, n, eta, cfg.alpha / len(n), cfg.c, cfg.ell, key(me))
            moments.inc(None, M - own)
            own[:] = M
            me.report(loss=loss / max(1, len(documents)))
        words.inc(documents.used, delta)
        topics.inc(None, delta.sum(axis=0, dtype=np.int64)[None])
        me.clock()


def classifiers(me: Worker, cfg: Config) -> NDArray[np.float64]:
    """eta (K, L) of this clock: at staleness 0 the same for all workers.

    Before any document was looked at it is that of the model to start from, if there is one.
    """
    K, L = cfg.width(me.schema.classes), me.schema.classes
    M = me.table("moments").get()
    given = me.state("given", lambda: np.zeros((K, 0)) if me.given is None else me.given["eta"])
    if given.size and not M.any():
        return given
    return draw(M.reshape(L, K, K + 1), cfg.nu2, clock_rng(me).standard_normal((K, L)))


def key(me: Worker) -> np.uint64:
    """Of the documents' random numbers in this clock."""
    return clock_rng(me).integers(2**63, dtype=np.uint64)


def clock_rng(me: Worker) -> np.random.Generator:
    """Random numbers of this clock, the same for all workers."""
    return np.random.Generator(np.random.Philox(key=[me.seed % 2**64, CLOCK], counter=[0, 0, 0, me.clock_now]))


def spread(N: NDArray[np.int32], total: NDArray[np.int64], V: int, beta: float) -> tuple[F32, F32]:
    """phi (words, padded K) = P(word | topic) of counts N (words, K), all words' total (K,), and total + V beta.

    Counts that are read while others add to them may lie below 0 for a moment.
    """
    n = (np.maximum(total, 1) + V * beta).astype(np.float32)
    return padded((np.maximum(N, 0) + np.float32(beta)) / n), n


def model(me: Worker, cfg: Config) -> Artifacts:
    K = cfg.width(me.schema.classes)
    phi, _ = spread(me.table("words").get(), me.table("topics").get()[0], me.schema.width, cfg.beta)
    alpha = np.full(K, cfg.alpha / K, np.float32)
    return {"phi": phi[:, :K], "alpha": alpha, "eta": classifiers(me, cfg), "sure": np.array([SURE / cfg.ell])}


def predict(model: Model, batch: Batch) -> Columns:
    Z = shares(counted(batch.X, model.schema.name), model["phi"], model["alpha"])
    S = Z @ model["eta"] * model["sure"]
    P = np.exp(S - S.max(axis=1, keepdims=True))
    return {"probability": (P / P.sum(axis=1, keepdims=True)).astype(np.float32)}


def top_words(model: Model, n: int) -> NDArray[Any]:
    return likeliest(model["phi"], model.schema, n)


def summary(model: Model) -> list[str]:
    """The topic that speaks most for each class."""
    words, classes = model.top_words(), model.classes.tolist()
    more = [f"and {len(classes) - SHOWN} more classes"] if len(classes) > SHOWN else []
    topics = model["eta"].argmax(axis=0).tolist()
    said = zip(classes[:SHOWN], topics, strict=False)
    return [f"class {name}, topic {k}: {' '.join(words[k])}" for name, k in said] + more


def check_start(cfg: Config, data: Schema, model: Model) -> None:
    V, K = model["phi"].shape
    if (data.width, cfg.width(data.classes)) != (V, K):
        raise UsageError(f"the model has {K} topics of {V:,} words: say --k {K}, with the same {V:,} words")
