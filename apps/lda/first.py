"""First: the topics that tokens begin with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yarnml.app import Worker
from yarnml.kernels.drawn import drawn
from yarnml.kernels.shares import shares

from .corpus import Corpus

I32 = NDArray[np.int32]


def first_topics(me: Worker, corpus: Corpus, document: I32, place: I32, K: int) -> I32:
    """z (n,) of tokens of this worker's documents whose words have these places.

    At random; with a model to start from, by what its topics say of each document and word.
    """
    model = me.given
    if model is None:
        return me.rng.integers(0, K, len(place), dtype=np.int32)
    phi, alpha, u = model["topics"], model["alpha"].astype(np.float32), me.rng.random(len(place))
    word = np.argsort(corpus.place).astype(np.int32)[place]
    X = corpus.X
    theta = np.concatenate(me.crew.each(lambda lo, hi: shares(X.slice(lo, hi), phi, alpha), len(X)))

    def some(lo: int, hi: int) -> I32:
        return drawn(document[lo:hi], word[lo:hi], theta, phi, u[lo:hi])

    return np.concatenate(me.crew.each(some, len(place)))
