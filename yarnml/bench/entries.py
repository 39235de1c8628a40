"""Entries: what `bench apps` measures of each app: its data, how it is asked to learn, its peers and their quality."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from yarnml.bench.made import corpus, ratings, sparse
from yarnml.bench.mlr import write_data

Make = Callable[[Path], None]  # writes train and test files into a folder


@dataclass(frozen=True)
class Peer:
    name: str
    package: str  # to be imported
    script: str  # in peers/


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An app beside the first of its peers that is there."""

    app: str
    about: str  # the data, for whoever reads the table
    make: Make
    quick: Make  # the same in small
    train: str  # file
    test: str | None = None
    options: dict[str, str] = field(default_factory=dict)  # flags of `yarnml run`
    large: dict[str, str] = field(default_factory=dict)  # more of them, on the large data
    quality: str  # in the result, as `test.rmse`; or the name of a number that the app reports, whose last one counts
    better: Literal["lower", "higher"] = "lower"
    slack: float  # part of the peer's quality by which ours may be worse
    aim: float  # seconds from start to model, as a part of the peer's
    peers: tuple[Peer, ...]


LIBLINEAR = "LIBLINEAR", "liblinear"
SKLEARN = "scikit-learn", "sklearn"

ENTRIES = (
    Entry(
        app="mlr", about="1e6 x 100", make=partial(write_data, n=1_000_000), quick=partial(write_data, n=20_000),
        train="train.parquet", test="test.parquet", options={"label": "label"}, large={"epochs": "1"},
        quality="test.log_loss", slack=2e-3, aim=0.3, peers=(Peer(*SKLEARN, "mlr_sklearn"),),
    ),
    Entry(
        app="kmeans", about="1e6 x 100, k 100", make=partial(write_data, n=1_000_000),
        quick=partial(write_data, n=20_000), train="train.parquet",
        options={"label": "label", "k": "100", "epochs": "20"}, quality="train.inertia", slack=1e-2, aim=1.0,
        peers=(Peer(*SKLEARN, "kmeans_sklearn"),),
    ),
    Entry(
        app="svm", about="1e6 x 1e5 sparse", make=partial(sparse, n=1_000_000, width=100_000, numbers=False),
        quick=partial(sparse, n=10_000, width=2_000, numbers=False), train="train.libsvm", quality="objective",
        slack=5e-4, aim=0.7, peers=(Peer(*LIBLINEAR, "svm_liblinear"),),
    ),
    Entry(
        app="logreg_l1", about="1e6 x 1e5 sparse", make=partial(sparse, n=1_000_000, width=100_000, numbers=False),
        quick=partial(sparse, n=10_000, width=2_000, numbers=False), train="train.libsvm", quality="objective",
        slack=5e-4, aim=0.6, peers=(Peer(*LIBLINEAR, "logreg_l1_liblinear"),),
    ),
    Entry(
        app="lasso", about="1e6 x 1e5 sparse, lam 1e-3",
        make=partial(sparse, n=1_000_000, width=100_000, numbers=True),
        quick=partial(sparse, n=10_000, width=2_000, numbers=True), train="train.libsvm", options={"lam": "1e-3"},
        quality="objective", slack=1e-4, aim=0.125,
        peers=(Peer("celer", "celer", "lasso_celer"), Peer(*SKLEARN, "lasso_sklearn")),
    ),
    Entry(
        app="mf", about="1e7 ratings, k 16", make=partial(ratings, n=10_000_000, users=100_000, items=20_000),
        quick=partial(ratings, n=100_000, users=2_000, items=500), train="train.parquet", test="test.parquet",
        options={"k": "16", "reg": "0.05"}, quality="test.rmse", slack=1e-2, aim=1.0,
        peers=(Peer("cmfrec", "cmfrec", "mf_cmfrec"),),
    ),
    Entry(
        app="lda", about="1e5 documents, 5e4 words, k 50", make=partial(corpus, n=100_000, words=50_000, topics=50),
        quick=partial(corpus, n=1_000, words=1_000, topics=50), train="train.libsvm", test="test.libsvm",
        options={"k": "50", "epochs": "50"}, quality="test.perplexity", slack=2e-2, aim=0.5,
        peers=(Peer("tomotopy", "tomotopy", "lda_tomotopy"),),
    ),
)  # fmt: skip
