"""medlda: its sampler draws from the paper's posterior, and its scores on named data are those its README states."""

from __future__ import annotations

import gzip
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yarnml
from hdfs_io import DataError
from tests.apps.conftest import Start
from yarnml.errors import Stopped, UsageError
from yarnml.runs import wait_for

sampler: Any = import_module("yarnml_apps.medlda.sampler")
classifiers: Any = import_module("yarnml_apps.medlda.classifiers")
F = np.float32


def state(key: int) -> np.ndarray:
    found = np.zeros(1, np.uint64)
    sampler.seed(found, np.uint64(key), 0)
    return found


@pytest.mark.parametrize("mu", [0.01, 1.0, 30.0])
def test_inverse_gaussian_has_its_moments(mu: float) -> None:
    now = state(1)
    drawn = np.array([sampler.inverse_gaussian(now, F(mu)) for _ in range(100_000)])
    assert drawn.min() > 0
    assert drawn.mean() == pytest.approx(mu, abs=5 * np.sqrt(mu**3 / len(drawn)))
    assert (1 / drawn).mean() == pytest.approx(1 / mu + 1, rel=0.02)  # as the inverse's mean is 1 / mu + 1 / shape


def test_a_topic_is_picked_where_the_running_sum_passes() -> None:
    rng = np.random.default_rng(0)
    for K in (1, 5, 16, 40):
        p = sampler.padded(rng.random((1, K)))[0]
        for u in (*rng.random(50), 0.0, 1 - 2.0**-24):
            k = sampler.pick(p, np.zeros(len(p) // sampler.LANES, F), F(u), K)
            below, upto = p[:k].sum() / p.sum(), p[: k + 1].sum() / p.sum()
            assert below - 1e-5 <= u <= upto + 1e-5


def test_the_classes_sway_topics_as_the_formula_says() -> None:
    rng = np.random.default_rng(0)
    L, K, gamma, c, ell = 3, 5, 0.2, 0.7, 2.0
    eta, s, y = rng.standard_normal((L, K)), rng.standard_normal(L), 1
    now, rate, g, h, x = state(2), np.zeros(L, F), np.zeros(L, F), np.zeros(L, F), np.zeros(16, F)
    loss = sampler.augment(now, s.astype(F), y, F(c), F(ell), rate, g, h)
    side = np.where(np.arange(L) == y, 1, -1)
    assert loss == pytest.approx(np.maximum(0, ell - side * s).sum(), rel=1e-5)
    sampler.sway(sampler.padded(eta), s.astype(F), g, h, F(gamma), K, x)
    zeta = ell - side * (s + gamma * eta.T)  # (K, L), with the token in topic k
    f = (-((1 / rate + c * zeta) ** 2) * rate / 2).sum(axis=1)
    np.testing.assert_allclose(x[:K], np.exp(f - f.max()), rtol=1e-4)


def test_a_document_of_weight_0_sways_nothing() -> None:
    rate, g, h = np.ones(2, F), np.ones(2, F), np.ones(2, F)
    assert sampler.augment(state(3), np.ones(2, F), 0, F(0), F(64), rate, g, h) == 0
    assert not rate.any() | g.any() | h.any()


def test_topics_come_from_the_posterior() -> None:
    """Many chains of one short document, whose 27 assignments are counted against their probabilities."""
    rng = np.random.default_rng(0)
    K, N, chains, c, ell, alpha = 3, 3, 20_000, 0.8, 1.0, 0.5
    phi, eta = rng.dirichlet(np.ones(4), K).T, 1.5 * rng.standard_normal((K, 2))
    word = np.array([0, 1, 3], np.int32)
    z = np.zeros((chains, N), np.int32)
    n = np.full(K, 1e9, F)  # so many words that taking one out changes nothing
    for turn in range(30):
        sampler.sample(
            np.arange(chains + 1) * N, np.tile(word, chains), np.zeros(chains, np.int32), np.full(chains, c, F),
            z.reshape(-1), sampler.padded(phi), n, sampler.padded(eta.T), eta.astype(F), F(alpha), F(ell),
            np.uint64(turn), np.arange(chains), np.zeros((chains, K), F), np.zeros((chains, 2), F),
        )  # fmt: skip
    found = np.bincount(z @ [9, 3, 1], minlength=27) / chains
    wanted = np.empty(27)
    for at, topics in enumerate(product(range(K), repeat=N)):
        counts = np.bincount(topics, minlength=K)
        urn = np.prod([np.prod(alpha + np.arange(m)) for m in counts])  # Theta summed out
        zeta = ell - np.array([1, -1]) * (counts / N @ eta)
        wanted[at] = phi[word, topics].prod() * urn * np.exp(-2 * c * np.maximum(0, zeta).sum())
    wanted /= wanted.sum()
    np.testing.assert_allclose(found, wanted, atol=5 * np.sqrt(0.25 / chains))


def test_shares_are_those_of_the_topics() -> None:
    rng = np.random.default_rng(0)
    begin = np.array([0, 4, 4, 44])
    z, word = rng.integers(0, 5, 44).astype(np.int32), rng.integers(0, 9, 44).astype(np.int32)
    share, rate, phi = np.zeros((3, 5), F), np.zeros((3, 2), F), sampler.padded(rng.random((9, 5)))
    eta = rng.standard_normal((5, 2)).astype(F)
    sampler.sample(
        begin, word, np.array([0, 1, 1], np.int32), np.ones(3, F), z, phi, np.full(5, 99, F), sampler.padded(eta.T),
        eta, F(0.1), F(1), np.uint64(7), np.arange(3), share, rate,
    )  # fmt: skip
    wanted = [np.bincount(z[a:b], minlength=5) / max(1, b - a) for a, b in ((0, 4), (4, 4), (4, 44))]
    np.testing.assert_allclose(share, wanted, rtol=1e-6)
    assert (rate[[0, 2]] > 0).all()
    assert not rate[1].any()


def test_classifiers_come_from_their_posterior() -> None:
    rng = np.random.default_rng(0)
    D, K, c, ell, nu2 = 50, 4, 0.7, 3.0, 2.0
    share, rate = rng.dirichlet(np.ones(K), D).astype(F), rng.random(D).astype(F) + F(0.1)
    side = rng.choice([-1.0, 1.0], D).astype(F)
    M = classifiers.moments(share.astype(float), rate, side, np.full(D, c, F), ell)[None]
    precision = np.eye(K) / nu2 + sum(c**2 * r * np.outer(z, z) for z, r in zip(share, rate, strict=True))
    mu = np.linalg.solve(
        precision, sum(c * y * (1 + c * ell * r) * z for z, r, y in zip(share, rate, side, strict=True))
    )
    np.testing.assert_allclose(classifiers.draw(M, nu2, np.zeros((K, 1)))[:, 0], mu, rtol=1e-4)
    drawn = np.stack([classifiers.draw(M, nu2, rng.standard_normal((K, 1)))[:, 0] for _ in range(5000)])
    np.testing.assert_allclose(np.cov(drawn.T), np.linalg.inv(precision), atol=0.15)


@pytest.fixture(scope="module")
def posts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """400 documents in three classes, whose words differ less by class than by a matter of which they say nothing."""
    rng = np.random.default_rng(0)
    file = tmp_path_factory.mktemp("posts") / "posts.libsvm"
    matter, own = rng.dirichlet(np.full(60, 0.1), 4), rng.dirichlet(np.full(60, 0.1), 3)
    lines = []
    for _ in range(400):
        y = int(rng.integers(3))
        n = rng.multinomial(40, 0.6 * matter[rng.integers(4)] + 0.4 * own[y])
        lines.append(f"{y + 1} " + " ".join(f"{w + 1}:{n[w]}" for w in np.flatnonzero(n)))
    file.write_text("\n".join(lines) + "\n")
    return file


@pytest.mark.parametrize("options", [{}, {"workers": 2, "staleness": 1}])
def test_tells_classes_apart_that_differ_little(start: Start, posts: Path, options: dict[str, Any]) -> None:
    run = start("medlda", data=str(posts), test=0.25, k=12, **options)
    assert run.result["test"]["accuracy"] > 0.9
    assert run.result["test"]["log_loss"] < 0.5
    assert run.model["phi"].sum(axis=0) == pytest.approx(np.ones(12), rel=1e-4)


def test_empty_documents_are_learned_from_and_predicted(start: Start, posts: Path, tmp_path: Path) -> None:
    (tmp_path / "some.libsvm").write_text("1\n2\n" + posts.read_text())
    run = start("medlda", data=str(tmp_path / "some.libsvm"), epochs=3)
    p = run.model.predict_columns(np.zeros((1, 60)))
    assert np.isfinite([p[f"probability_{name}"][0] for name in (1, 2, 3)]).all()


def test_threads_and_workers_change_nothing(start: Start, posts: Path) -> None:
    """But for the rounding of sums."""
    one, *others = (start("medlda", data=str(posts), epochs=4, **more) for more in ({}, {"threads": 3}, {"workers": 3}))
    for other in others:
        np.testing.assert_array_equal(other.model["phi"], one.model["phi"])
        np.testing.assert_allclose(other.model["eta"], one.model["eta"], rtol=1e-9, atol=1e-9)


def test_goes_on_as_if_it_had_never_stopped(start: Start, posts: Path) -> None:
    whole = start("medlda", data=str(posts), epochs=30)
    half = start("medlda", data=str(posts), epochs=20, checkpoint_every=0.01)
    again = start("medlda", resume=half.id, epochs=30)
    for name, array in whole.model.arrays.items():
        np.testing.assert_array_equal(array, again.model[name])


@pytest.mark.full
def test_goes_on_with_two_workers(start: Start, posts: Path, tmp_path: Path) -> None:
    whole = start("medlda", data=str(posts), workers=2, epochs=1500)
    half = yarnml.run("medlda", data=str(posts), workers=2, epochs=1500, runs=str(tmp_path / "runs"), deadline=100.0)
    assert wait_for(lambda: len(half.metrics) > 0, 60)
    half.kill()
    with pytest.raises(Stopped, match="killed"):
        half.wait()
    again = start("medlda", resume=half.id)
    for name, array in whole.model.arrays.items():
        np.testing.assert_array_equal(array, again.model[name])


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "bare.ldac",
            "2 0:1 1:2\n1 2:5\n",
            r"bare\.ldac: its rows have no label, as ldac has none: .* as libsvm",
        ),
        ("alike.csv", "a,b,label\n1,2,x\n3,4,x\n", "label 'label' holds only the class 'x'"),
    ],
)
def test_classes_that_are_not_there_are_missed(name: str, text: str, said: str, start: Start, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises((UsageError, DataError), match=said):
        start("medlda", data=str(tmp_path / name))


def test_learns_from_whatever_counts_there_are(start: Start, tmp_path: Path) -> None:
    """None at all, one, and a million of a word; fewer tokens than topics."""
    (tmp_path / "few.csv").write_text("a,b,label\n1000000,2,x\n3,4,y\n0,0,y\n1,0,x\n")
    model = start("medlda", data=str(tmp_path / "few.csv"), epochs=3).model
    assert model["phi"].sum(axis=0) == pytest.approx(np.ones(40), rel=1e-3)
    assert np.isfinite(model["eta"]).all()
    assert len(model.predict_columns(np.zeros((1, 2)))["prediction"]) == 1


def test_what_is_no_count_is_refused(start: Start, blobs: Path) -> None:
    with pytest.raises(UsageError, match=r"blobs\.csv:2: holds .* of feature a: .* counts of words"):
        start("medlda", data=str(blobs), label="kind")


@pytest.fixture(scope="session")
def news(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """20 Newsgroups' counts with their labels, as libsvm."""
    folder, files = tmp_path_factory.mktemp("news"), {}
    for part in ("train", "test"):
        labels = (shared / f"20news/{part}.labels").read_text().split()
        with gzip.open(shared / f"20news/{part}.ldac.gz", "rt") as lines:
            rows = [
                f"{y} " + " ".join(f"{int(w) + 1}:{n}" for w, n in pairs(line))
                for y, line in zip(labels, lines, strict=True)
            ]
        files[part] = str(folder / f"{part}.libsvm")
        Path(files[part]).write_text("\n".join(rows) + "\n")
    return files


def pairs(line: str) -> list[tuple[str, str]]:
    found = [each.split(":") for each in line.split()[1:]]
    return sorted(((w, n) for w, n in found), key=lambda pair: int(pair[0]))


@pytest.mark.shared
def test_20news(news: dict[str, str], start: Start) -> None:
    run = start("medlda", data=news["train"], test=news["test"], unknown="drop")
    assert run.result["test"]["accuracy"] >= 0.785


def test_a_model_to_start_from(start: Start, posts: Path, tmp_path: Path) -> None:
    options = {"data": str(posts), "test": 0.25, "k": 12}
    start("medlda", **options, out=str(tmp_path / "model"))
    cold = start("medlda", **options, epochs=1)
    warm = start("medlda", **options, epochs=1, start_from=str(tmp_path / "model"))
    losses = [run.metrics.to_pandas().query("name == 'loss'")["value"].iloc[0] for run in (warm, cold)]
    assert losses[0] < losses[1] / 2
    with pytest.raises(UsageError, match="the model has 12 topics of 60 words: say --k 12"):
        start("medlda", data=str(posts), k=13, start_from=str(tmp_path / "model"))


def test_what_was_learned_is_summed_up(start: Start, posts: Path) -> None:
    run = start("medlda", data=str(posts), k=12)
    words = run.model.top_words()
    assert words.shape == (12, 10)
    best = run.model["eta"].argmax(axis=0)
    assert run.result["summary"] == [
        f"class {name}, topic {k}: {' '.join(words[k])}" for name, k in zip((1, 2, 3), best, strict=True)
    ]
