"""Latent Dirichlet allocation [Blei, Ng, Jordan 2003] by collapsed sampling.

    theta_d ~ Dirichlet(alpha)   phi_k ~ Dirichlet(beta)   z_t ~ theta_d   w_t ~ phi_z    for token t of document d

With theta and phi integrated out only z is left, and counts: nw[w, k] of words and nd[d, k] of documents. Documents
stay with their worker; the words' counts lie in a table, whose blocks rotate: in a round a worker samples the tokens of
its documents whose words are in its block, so that no two workers change the same counts (rotation.py). The sampler is
exact where K is small (gibbs.py), and Metropolis-Hastings, whose cost doesn't grow with K, where it isn't (warp.py).
Every so often alpha and beta are made likelier (prior.py). A new document's topics are found by shares.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Dataset, ReadOptions, Roles, Schema
from yarnml.app import AppConfig, Artifacts, Batch, Columns, Count, Demo, Model, Positive, UsageError, Worker, glimpse
from yarnml.config import Whole
from yarnml.kernels.counts import counted
from yarnml.kernels.shares import completion, shares
from yarnml.ps import TableSpec
from yarnml.sched import rounds
from yarnml.task import Topics as Task
from yarnml.task.topics import likeliest

from .corpus import Corpus, documents, frequency, places
from .gibbs import Gibbs
from .prior import Prior
from .rotation import Topics
from .trace import Trace
from .vocabulary import named, vocabulary
from .warp import Warp

SHOWN = 8  # topics in a summary
EXACT = 256  # topics up to which exact sampling is the quicker way to the same likelihood

task = Task()
fixed = ("sampler", "alpha", "beta")  # whose state it is, and what the priors began with
demo = Demo("sklearn", "datasets/data/digits.csv.gz", ReadOptions(header=False, roles=Roles(label=-1)), test=0.8)


@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    k: Count = 50  # topics
    epochs: Count = 150  # passes over the data
    sampler: Literal["auto", "gibbs", "warp"] = "auto"  # exact, or Metropolis-Hastings; auto: exact to 256 topics
    alpha: Positive = 0.1  # prior weight of each topic in a document, to begin with
    beta: Positive = 0.01  # prior weight of each word in a topic, to begin with
    learn: Whole = 10  # passes after which alpha and beta are learned anew; 0: they stay
    burn: Whole = 100  # passes before that begins: too early it holds back topics that are still to come apart
    patience: Count = 3  # with --valid: passes without a gain after which training stops
    vocab: str | None = None  # a file that names the words, one a line, where the data only numbers them
    top: Count = 10  # words that name a topic


def tables(cfg: Config, data: Schema) -> list[TableSpec]:
    return [
        TableSpec("words", (data.width, cfg.k), dtype="int32", staleness=0, push="lazy"),  # rows by place
        TableSpec("place", (data.width, 1), dtype="int32", staleness=0, push="lazy"),  # of each word: see corpus.py
    ]


def check(cfg: Config, data: Dataset, rows: int) -> None:
    if data.schema.weight is not None:
        raise UsageError(f"--weight {data.schema.weight}: lda counts words, and weighs no documents; leave it out")
    vocabulary(cfg.vocab, data.schema)
    glimpse(data, lambda rows: counted(rows.X, data.schema.name))


def start(me: Worker, cfg: Config) -> None:
    X = documents(me)
    times = me.sum(frequency(X.indices, X.values, me.schema.width))
    if me.index == 0:
        me.table("place").inc(None, places(times, me.workers)[:, None])


def work(me: Worker, cfg: Config) -> dict[str, Any]:
    corpus = Corpus.of(me, me.table("place").get()[:, 0])
    exact = cfg.k <= EXACT if cfg.sampler == "auto" else cfg.sampler == "gibbs"
    sampler = (Gibbs if exact else Warp)(me, corpus, cfg.k)
    prior = first_prior(me, cfg)
    topics = Topics(me, sampler, Trace(sampler, corpus.documents), corpus.lengths(), (cfg.burn, cfg.learn), prior)
    if me.clock_now == 0:
        topics.count()
        me.clock()
    for done, turn in enumerate(rounds(me, topics, 1 + cfg.epochs * me.workers), start=1):
        me.went_over(corpus.documents / me.workers)
        me.report(loss=-topics.log_likelihood, tokens=len(sampler.place) * done / me.workers)
        epoch, rest = divmod(turn.number + 1, me.workers)
        if rest == 0:
            me.validate(epoch - 1, cfg.patience)
    found = model(me, cfg)
    return {"topics": [" ".join(words) for words in found["top_words"].tolist()]}


def first_prior(me: Worker, cfg: Config) -> Prior:
    """As the config says, or that of the model to start from."""
    alpha, beta = np.full(cfg.k, cfg.alpha), cfg.beta
    if me.clock_now == 0 and me.given is not None:
        alpha, beta = me.given["alpha"], float(me.given["beta"][0])
    return Prior(alpha, beta, me.schema.width)


def model(me: Worker, cfg: Config) -> Artifacts:
    """topics (V, K): the words' chances in each topic; share (K,): of all tokens; alpha, beta; top_words (K, top)."""
    alpha, beta = np.split(me.state("prior", np.zeros(cfg.k + 1)), [cfg.k])
    N = me.table("words").get()[me.table("place").get()[:, 0]]
    total = N.sum(axis=0, dtype=np.int64)
    phi = ((N + beta) / (total + len(N) * beta)).astype(np.float32)
    best = np.argsort(-N, axis=0, kind="stable")[: cfg.top].T
    share = total / max(1, total.sum())
    return {
        "topics": phi, "share": share, "alpha": alpha.copy(), "beta": beta.copy(),
        "top_words": named(vocabulary(cfg.vocab, me.schema), me.schema.base, best),
    }  # fmt: skip


def predict(model: Model, batch: Batch) -> Columns:
    X, phi, alpha = counted(batch.X, model.schema.name), model["topics"], model["alpha"].astype(np.float32)
    log_likelihood, tokens = completion(X, phi, alpha)
    theta = shares(X, phi, alpha)
    words = model["top_words"]
    return {"share": theta, "log_likelihood": log_likelihood, "tokens": tokens, "words": spoken(words)[theta.argmax(1)]}


def spoken(words: NDArray[Any]) -> NDArray[Any]:
    """The first words of each topic as one text, (K,)."""
    return np.array([" ".join(each[:5]) for each in words.tolist()], object)


def top_words(model: Model, n: int) -> NDArray[Any]:
    known = model["top_words"]
    if n > known.shape[1] and model.config["vocab"] is not None:
        raise UsageError(f"the model names {known.shape[1]} words of a topic; train with --top {n} for more")
    return known[:, :n] if n <= known.shape[1] else likeliest(model["topics"], model.schema, n)


def summary(model: Model) -> list[str]:
    """The largest topics."""
    share, words = model["share"], model.top_words()
    largest = np.argsort(-share, kind="stable")[:SHOWN].tolist()
    more = [f"and {len(share) - SHOWN} smaller topics"] if len(share) > SHOWN else []
    return [f"topic {k}, {share[k]:.1%} of all words: {' '.join(words[k])}" for k in largest] + more


def check_start(cfg: Config, data: Schema, model: Model) -> None:
    V, K = model["topics"].shape
    if (data.width, cfg.k) != (V, K):
        raise UsageError(f"the model has {K} topics of {V:,} words: say --k {K}, with the same {V:,} words")
