"""lda: counts are kept, samplers draw from the conditional, workers and recoveries agree, topics are found again."""

from __future__ import annotations

import itertools
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from numba import njit
from scipy.special import psi
from scipy.stats import chi2

from hdfs_io import CSR, DataError
from tests.apps.conftest import Start
from yarnml.errors import RunFailed, UsageError
from yarnml.kernels.counts import counted
from yarnml.kernels.crew import Crew

alias, corpus, gibbs, lanes, phases, prior, warp = (
    import_module(f"yarnml_apps.lda.{name}")
    for name in ("alias", "corpus", "gibbs", "lanes", "phases", "prior", "warp")
)
WORDS, TOPICS = 30, 3


class Me:
    """What a sampler needs of a worker."""

    def __init__(self, seed: int, index: int = 0, threads: int = 1) -> None:
        self.index, self.crew, self._seed, self.clock, self.given = index, Crew(threads), seed, 0, None

    def state(self, _name: str, init: Any) -> Any:
        return init()

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng((self._seed, self.index, self.clock))


def documents(seed: int, n: int, words: int, length: int) -> CSR:
    X = np.random.default_rng(seed).multinomial(length, np.full(words, 1 / words), n).astype(np.float32)
    return counted(X)


def part(X: CSR, place: np.ndarray, workers: int) -> Any:
    return corpus.Corpus(X, place, workers)


# --- the kernels


@njit
def drawn(D: Any, W: Any, alpha: Any, beta: Any, inv: Any, u: Any, K: Any) -> Any:
    upto, starts = np.zeros(len(D), np.float32), np.zeros(lanes.LANES, np.float32)
    total = lanes.weigh(D, 0, W, 0, alpha, beta, inv, upto, starts)
    return lanes.draw(upto, starts, u * total, K), total


def test_a_draw_is_the_topic_that_the_number_falls_on() -> None:
    rng = np.random.default_rng(0)
    for K in (1, 3, 16, 37, 100):
        D, W = (np.pad(rng.integers(0, 5, K), (0, lanes.padded(K) - K)).astype(np.int32) for _ in range(2))
        alpha, inv = np.zeros(len(D), np.float32), np.zeros(len(D), np.float32)
        alpha[:K], inv[:K], beta = rng.gamma(0.3, size=K) + 1e-3, rng.uniform(0.1, 1, K), np.float32(0.3)
        p = (D + alpha) * (W + beta) * inv
        for u in rng.random(200).astype(np.float32):
            found, total = drawn(D, W, alpha, beta, inv, u, K)
            near = {lanes.draw_reference(p, (u + shift) * p.sum()) for shift in (-1e-6, 0, 1e-6)}
            assert found in near  # rounding may take the neighbour
        assert total == pytest.approx(p.sum(), rel=1e-5)
        assert drawn(D, W, alpha, beta, inv, np.float32(1), K)[0] < K  # where rounding leads to the very end


@pytest.mark.parametrize("n", [1, 2, 7, 50])
def test_an_alias_table_holds_its_chances(n: int) -> None:
    w = np.random.default_rng(n).gamma(0.3, size=n)
    chance, other = alias.alias(w)
    held = np.zeros(n)
    np.add.at(held, np.arange(n), chance)
    np.add.at(held, other, 1 - chance)
    np.testing.assert_allclose(held / n, w / w.sum(), atol=1e-5)


def test_rises_are_differences_of_digammas() -> None:
    rng = np.random.default_rng(0)
    counts, a = rng.integers(0, 60, (40, 5)).astype(np.int32), rng.uniform(0.01, 20, 5)
    np.testing.assert_allclose(prior.rises(counts, a), (psi(counts + a) - psi(a)).sum(axis=0), rtol=1e-10)


def test_learning_finds_the_prior_that_made_the_counts() -> None:
    rng = np.random.default_rng(0)
    true = np.array([0.1, 0.5, 2.0])
    nd = np.array([rng.multinomial(100, theta) for theta in rng.dirichlet(true, 3000)], np.int32)
    found = prior.Prior(np.full(3, 0.1), 0.01, 10)
    for _ in range(500):
        lengths = prior.rises(nd.sum(axis=1, keepdims=True, dtype=np.int32), found.alpha.sum(keepdims=True))[0]
        found = found.stepped(prior.rises(nd, found.alpha), lengths, 0.0, 0.0)
    np.testing.assert_allclose(found.alpha, true, rtol=0.1)


def test_blocks_of_words_hold_all_words_and_as_many_tokens() -> None:
    frequency = (1e6 / (np.arange(5000) + 3.0)).astype(np.int64)
    for workers in (1, 3):
        place, cuts = corpus.places(frequency, workers), corpus.borders(5000, workers)
        assert sorted(place.tolist()) == list(range(5000))
        tokens = np.bincount(np.searchsorted(cuts, place, "right") - 1, frequency)
        assert tokens.max() < 2 * tokens.min() or workers > 1
        assert len(tokens) == workers * corpus.PARTS


@pytest.mark.parametrize("workers", [1, 2])
def test_cells_hold_every_token_once(workers: int) -> None:
    X = documents(0, 25, WORDS, 40)
    place = corpus.places(np.bincount(X.indices, X.values, WORDS).astype(np.int64), workers)
    document, word, cells = part(X, place, workers).in_cells()
    found = np.zeros((25, WORDS))
    np.add.at(found, (document, word), 1)
    np.testing.assert_array_equal(found[:, place], X.to_scipy().toarray())
    assert (np.diff(cells.reshape(-1)) >= 0).all()
    for mine, block in itertools.product(range(corpus.PARTS), range(workers * corpus.PARTS)):
        inside = slice(*cells[mine, block])
        assert (np.diff(document[inside]) >= 0).all()
        cuts = corpus.borders(WORDS, workers)
        assert ((word[inside] >= cuts[block]) & (word[inside] < cuts[block + 1])).all()


# --- the samplers: where a document is so short that all assignments of topics can be told one by one


def exact(
    K: int, tokens: list[tuple[int, int]], alpha: np.ndarray, beta: float, V: int
) -> dict[tuple[int, ...], float]:
    """The chance of every assignment of topics to tokens (document, word), by the chain rule."""
    found = {}
    for z in itertools.product(range(K), repeat=len(tokens)):
        nd, nw, nk, p = np.zeros((9, K)), np.zeros((V, K)), np.zeros(K), 1.0
        for (d, w), k in zip(tokens, z, strict=True):
            p *= (nd[d, k] + alpha[k]) / (nd[d].sum() + alpha.sum()) * (nw[w, k] + beta) / (nk[k] + V * beta)
            nd[d, k] += 1
            nw[w, k] += 1
            nk[k] += 1
        found[z] = p
    total = sum(found.values())
    return {z: p / total for z, p in found.items()}


TOKENS = [(0, 0), (0, 0), (0, 1), (0, 2)]  # of one document of three words
SAID = prior.Prior(np.array([0.5, 1.0]), 0.4, 3)
EXPECTED = exact(2, TOKENS, SAID.alpha, SAID.beta, 3)


def test_exact_sampling_visits_assignments_as_often_as_they_are_likely() -> None:
    document, word = (np.array(each, np.int32) for each in zip(*TOKENS, strict=True))
    z, nd, nw = np.zeros(4, np.int32), np.zeros((1, 16), np.int32), np.zeros((3, 16), np.int32)
    nd[0, 0], nw[:, 0], nk, cells = 4, [2, 1, 1], np.array([[4, 0]]), np.array([[0, 4]])
    alpha = np.append(SAID.alpha, np.zeros(14)).astype(np.float32)
    seeds, seen = np.random.default_rng(0).integers(1, 2**63, (24000, 1), dtype=np.uint64), dict.fromkeys(EXPECTED, 0)
    for turn, seed in enumerate(seeds):
        gibbs.gibbs(cells, document, word, z, nd, nw, nk, alpha, np.float32(SAID.beta), 3 * SAID.beta, 0, seed)
        if turn % 6 == 0:  # looks that far apart are all but independent
            seen[tuple(z.tolist())] += 1
    n = sum(seen.values())
    off = sum((seen[z] - n * p) ** 2 / (n * p) for z, p in EXPECTED.items())
    assert off < chi2.isf(1e-4, len(EXPECTED) - 1)


def test_cells_are_sampled_alike_whoever_they_are_paired_with() -> None:
    """One may be empty, or longer than the other."""
    cells = np.array([[0, 40], [40, 41], [41, 41], [41, 90], [90, 100]])
    n, rng, found = len(cells), np.random.default_rng(0), []
    document = np.searchsorted(cells[:, 1], np.arange(100), "right").astype(np.int32)
    word, first = (document * 3 + np.arange(100) % 3).astype(np.int32), rng.integers(0, 20, 100).astype(np.int32)
    seeds, alpha = rng.integers(1, 2**63, n, dtype=np.uint64), np.full(32, 0.1, np.float32)
    for groups in ([[0, 1, 2, 3, 4]], [[4, 3], [1], [0, 2]]):
        z, nd, nw = first.copy(), np.zeros((n, 32), np.int32), np.zeros((3 * n, 32), np.int32)
        np.add.at(nd, (document, z), 1)
        np.add.at(nw, (word, z), 1)
        totals = np.bincount(z, minlength=20)
        for group in groups:
            nk = np.repeat(totals[None], len(group), axis=0)
            gibbs.gibbs(cells[group], document, word, z, nd, nw, nk, alpha, np.float32(0.1), 1.5, 0, seeds[group])
            assert (nk.sum(axis=1) == 100).all()
        found.append((z, nd, nw))
    assert (found[0][0] != first).any()
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_metropolis_hastings_comes_to_rest_near_the_likely_assignments() -> None:
    """Delayed totals and proposals that count the token itself make it an approximation, better the more tokens."""
    me = Me(3)
    sampler = warp.Warp(me, part(counted(np.array([[2, 1, 1]], np.float32)), np.arange(3, dtype=np.int32), 1), 2)
    N, seen = np.zeros((3, 2), np.int32), dict.fromkeys(EXPECTED, 0)
    np.add.at(N, (sampler.place, sampler.topics()), 1)
    nk = N.sum(axis=0).astype(np.int64)
    for me.clock in range(1, 4001):
        nk = nk + sampler.sweep(0, 0, N, nk, SAID)
        seen[tuple(sampler.topics().tolist())] += 1
    n = sum(seen.values())
    assert sum(abs(seen[z] / n - p) for z, p in EXPECTED.items()) / 2 < 0.15


def test_the_document_phase_keeps_its_target() -> None:
    """One token at a time, the others held: it is at k as often as q(k) (nd[k] + alpha[k]) / (nk[k] + V beta) says."""
    K, rng = 4, np.random.default_rng(0)
    alpha, totals = np.array([0.3, 0.2, 0.6, 0.1], np.float32), np.array([9.0, 5.0, 7.0, 12.0], np.float32)
    q = np.array([0.1, 0.4, 0.2, 0.3])
    others = np.array([0, 1, 1, 3], np.int32)
    target = q * (np.bincount(others, minlength=K) + alpha) / totals
    target /= target.sum()
    seen, at = np.zeros(K), 0
    chance, other = alias.alias(alpha.astype(np.float64))
    for k, seed in zip(rng.choice(K, 20000, p=q).tolist(), rng.integers(1, 2**63, 20000, dtype=np.uint64), strict=True):
        z = np.append(others, at).astype(np.int32)
        tokens = np.stack([z, z, z], axis=1)
        tokens[-1, phases.PROPOSED] = k
        phases.by_document(np.array([0, 5]), tokens, totals, totals, alpha, chance, other, seed)
        at = int(tokens[-1, phases.Z])
        seen[at] += 1
    np.testing.assert_allclose(seen / seen.sum(), target, atol=0.02)


@pytest.mark.parametrize("kind", [gibbs.Gibbs, warp.Warp])
@pytest.mark.parametrize("workers", [1, 2])
def test_counts_are_those_of_a_recount(kind: Any, workers: int) -> None:
    """After every pass, of workers who take turns at the blocks: words, totals and, where it keeps them, documents."""
    X, K = documents(1, 60, WORDS, 30), 20
    place = corpus.places(np.bincount(X.indices, X.values, WORDS).astype(np.int64), workers)
    mine = [X.slice(60 * w // workers, 60 * (w + 1) // workers) for w in range(workers)]
    team = [kind(Me(5, w), part(rows, place, workers), K) for w, rows in enumerate(mine)]
    N = np.zeros((WORDS, team[0].width), np.int32)
    for each in team:
        np.add.at(N, (each.place, each.topics()), 1)
    nk = N.sum(axis=0, dtype=np.int64)[:K]
    said = prior.Prior(np.full(K, 0.1), 0.05, WORDS)
    cuts = corpus.borders(WORDS, workers)[:: corpus.PARTS]
    for clock in range(1, 1 + 3 * workers):
        moved = []
        for each in team:
            each._me.clock = clock
            block = (each._me.index + clock - 1) % workers
            moved.append(each.sweep(block, int(cuts[block]), N[cuts[block] : cuts[block + 1]], nk, said))
        nk = nk + sum(moved)
    again = np.zeros_like(N)
    for each in team:
        np.add.at(again, (each.place, each.topics()), 1)
        if kind is gibbs.Gibbs:
            nd = np.zeros_like(each._nd)
            np.add.at(nd, (each.document, each.topics()), 1)
            np.testing.assert_array_equal(each._nd, nd)
    np.testing.assert_array_equal(N, again)
    np.testing.assert_array_equal(nk, again.sum(axis=0)[:K])


@pytest.mark.parametrize("kind", [gibbs.Gibbs, warp.Warp])
def test_threads_change_nothing(kind: Any) -> None:
    X, K, found = documents(1, 60, WORDS, 30), 20, []
    for threads in (1, 3):
        sampler = kind(Me(5, threads=threads), part(X, np.arange(WORDS, dtype=np.int32), 1), K)
        N = np.zeros((WORDS, sampler.width), np.int32)
        np.add.at(N, (sampler.place, sampler.topics()), 1)
        nk = N.sum(axis=0, dtype=np.int64)[:K]
        moved = sampler.sweep(0, 0, N, nk, prior.Prior(np.full(K, 0.1), 0.05, WORDS))
        found.append((N, moved))
    for one, three in zip(*found, strict=True):
        np.testing.assert_array_equal(one, three)


# --- the app


@pytest.fixture(scope="session")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 300 documents of 3 topics with 10 words each, as LDA-C, one of them empty, and the words' names."""
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("letters")
    lines = []
    for d in range(300):
        theta = rng.dirichlet(np.full(TOPICS, 0.2))
        n = np.bincount(rng.choice(TOPICS, 50, p=theta) * 10 + rng.integers(0, 10, 50), minlength=WORDS)
        used = np.flatnonzero(n if d != 7 else np.zeros(0))
        lines.append(" ".join([str(len(used)), *(f"{w}:{n[w]}" for w in used)]))
    (folder / "letters.ldac").write_text("\n".join(lines) + "\n")
    (folder / "vocab.txt").write_text("\n".join(f"{'abc'[w // 10]}{w % 10}" for w in range(WORDS)) + "\n")
    return folder


def options(letters: Path, **more: Any) -> dict[str, Any]:
    said = {"data": str(letters / "letters.ldac"), "vocab": str(letters / "vocab.txt"), "k": TOPICS}
    return said | more


@pytest.mark.parametrize("more", [{}, {"sampler": "warp"}, {"workers": 2}, {"workers": 2, "sampler": "warp"}])
def test_finds_the_topics_that_made_the_documents(more: dict[str, Any], start: Start, letters: Path) -> None:
    run = start("lda", **options(letters, **more))
    of_each = [{word[0] for word in words} for words in run.model["top_words"].tolist()]
    assert sorted(of_each, key=min) == [{"a"}, {"b"}, {"c"}]
    assert run.result["topics"][0].split() == run.model["top_words"][0].tolist()
    assert run.result["train"]["perplexity"] < 17  # 10 words each, and doubt between topics
    np.testing.assert_allclose(run.model["topics"].sum(axis=0), 1, rtol=1e-5)


def test_predicts_shares_and_says_the_words(start: Start, letters: Path) -> None:
    model = start("lda", **options(letters), epochs=30).model
    X = np.zeros((2, WORDS))
    X[0, :10] = 3
    found = model.predict_columns(X)
    assert found[f"share_{found['prediction'][0]}"][0] > 0.9
    assert {word[0] for word in found["words"][0].split()} == {"a"}
    alpha = model["alpha"] / model["alpha"].sum()
    assert [found[f"share_{k}"][1] for k in range(TOPICS)] == pytest.approx(alpha.tolist(), rel=1e-5)  # an empty one


def test_a_test_part_is_scored_though_it_has_no_label(start: Start, letters: Path) -> None:
    assert 8 < start("lda", **options(letters, test=0.2, epochs=30)).result["test"]["perplexity"] < 20


def test_stops_when_held_out_documents_gain_nothing(start: Start, letters: Path) -> None:
    result = start("lda", **options(letters, valid=0.3, epochs=200)).result
    assert result["best_pass"] < 200
    assert "stopped after pass" in " ".join(result["notes"])


@pytest.mark.parametrize(("workers", "sampler"), [(1, "gibbs"), (1, "warp"), (2, "warp")])
def test_goes_on_as_if_it_had_never_stopped(workers: int, sampler: str, start: Start, letters: Path) -> None:
    """From a checkpoint of a shorter run: the priors, which are learned from pass 20 on, are kept as well."""
    more = options(letters, sampler=sampler, workers=workers, burn=20)
    whole = start("lda", **more, epochs=45)
    half = start("lda", **more, epochs=35, checkpoint_every=0.01)
    again = start("lda", resume=half.id, epochs=45)
    for name, array in whole.model.arrays.items():
        np.testing.assert_array_equal(array, again.model[name])


@pytest.mark.parametrize("sampler", ["gibbs", "warp"])
@pytest.mark.parametrize(
    ("lines", "tokens"),
    [("3 0:1 1:2 2:1", 4), ("1 0:1\n0\n3 0:1 1:2 2:1", 5), ("1 0:1", 1), ("2 0:1000000 1:3\n2 1:2 2:5", 1000010)],
    ids=["one document", "of one word, of none", "one token", "a word a million times"],
)
def test_learns_from_whatever_counts_there_are(
    sampler: str, lines: str, tokens: int, start: Start, tmp_path: Path
) -> None:
    """Fewer tokens than topics too."""
    (tmp_path / "few.ldac").write_text(lines + "\n")
    run = start("lda", data=str(tmp_path / "few.ldac"), k=7, epochs=2, burn=1, learn=1, sampler=sampler)
    assert run.model["topics"].sum(axis=0) == pytest.approx(np.ones(7), rel=1e-5)
    assert (run.model["alpha"] > 0).all()
    assert run.model["share"] * tokens == pytest.approx(np.rint(run.model["share"] * tokens), abs=1e-3)
    assert run.model["share"].sum() == pytest.approx(1)


def test_documents_of_no_words_at_all_are_refused(start: Start, tmp_path: Path) -> None:
    (tmp_path / "empty.ldac").write_text("0\n0\n")
    with pytest.raises(UsageError, match=r"empty\.ldac: no column is left to learn from"):
        start("lda", data=str(tmp_path / "empty.ldac"))


def test_words_that_training_never_saw_say_nothing(start: Start, letters: Path, tmp_path: Path) -> None:
    """Where they are dropped, as the user must ask."""
    run = start("lda", **options(letters), epochs=30)
    (tmp_path / "new.ldac").write_text("2 3:2 40:9\n1 50:4\n")
    said = {"model": run.result["model"], "data": str(tmp_path / "new.ldac"), "out": str(tmp_path / "out")}
    with pytest.raises((UsageError, DataError), match="unknown to the model"):
        start("predict", **said)
    start("predict", **said, unknown="drop")
    found = pq.read_table(tmp_path / "out").to_pydict()
    assert found["words"][0].startswith("a")
    alpha = run.model["alpha"] / run.model["alpha"].sum()
    assert [found[f"share_{k}"][1] for k in range(TOPICS)] == pytest.approx(alpha.tolist(), rel=1e-5)


def test_progress_counts_documents_and_tokens(start: Start, letters: Path) -> None:
    run = start("lda", **options(letters), epochs=6)
    said = [json.loads(line) for line in (Path(run.url) / "metrics.jsonl").read_text().splitlines()]
    rows, tokens = (max(each["value"] for each in said if each["name"] == name) for name in ("rows", "tokens"))
    assert (rows, tokens) == (6 * 300, 6 * 299 * 50)


def test_rows_that_hold_no_counts_are_refused(start: Start, tmp_path: Path) -> None:
    for line, named in (("0.5,1", "holds 0.5 of feature a"), ("3,-1", "holds -1 of feature b")):
        (tmp_path / "rows.csv").write_text(f"a,b\n1,2\n{line}\n")
        with pytest.raises((UsageError, RunFailed), match=rf"rows\.csv:3: {named}: topics are learned from counts"):
            start("lda", data=str(tmp_path / "rows.csv"), k=2)


def test_too_few_words_in_the_vocabulary_are_refused(start: Start, letters: Path, tmp_path: Path) -> None:
    (tmp_path / "few.txt").write_text("one\ntwo\n")
    with pytest.raises(UsageError, match=f"names 2 words, and the data has {WORDS}"):
        start("lda", **options(letters, vocab=str(tmp_path / "few.txt")))


@pytest.mark.shared
def test_ap(shared: Path, start: Start) -> None:
    run = start("lda", data=str(shared / "ap/ap.ldac.gz"), vocab=str(shared / "ap/vocab.txt"), test=0.1, epochs=300)
    assert run.result["test"]["perplexity"] <= 2560


@pytest.mark.parametrize(("workers", "sampler"), [(2, "gibbs"), (1, "warp")])
def test_a_model_to_start_from(workers: int, sampler: str, start: Start, letters: Path, tmp_path: Path) -> None:
    """Its topics stay what they were, and documents are soon as likely as they were at its end."""
    given = options(letters, sampler=sampler)
    model = start("lda", **given, epochs=100, out=str(tmp_path / "model")).model
    cold = start("lda", **given, epochs=3)
    warm = start("lda", **given, epochs=3, workers=workers, start_from=str(tmp_path / "model"))
    assert warm.result["train"]["perplexity"] == pytest.approx(model.metrics["train"]["perplexity"], rel=0.02)
    assert cold.result["train"]["perplexity"] > 1.1 * warm.result["train"]["perplexity"]
    alike = np.corrcoef(warm.model["topics"].T, model["topics"].T)[:TOPICS, TOPICS:]
    assert (alike.argmax(axis=1) == np.arange(TOPICS)).all()
    with pytest.raises(UsageError, match="the model has 3 topics of 30 words: say --k 3"):
        start("lda", **(options(letters) | {"k": 4}), start_from=str(tmp_path / "model"))


def test_what_was_learned_is_summed_up(start: Start, letters: Path) -> None:
    run = start("lda", **options(letters), epochs=50)
    lines = run.result["summary"]
    assert len(lines) == TOPICS
    assert all(line.startswith("topic ") and "% of all words: " in line for line in lines)
    assert run.model.top_words(3).tolist() == [words[:3] for words in run.model["top_words"].tolist()]
    with pytest.raises(UsageError, match="names 10 words of a topic; train with --top 20"):
        run.model.top_words(20)
    bare = start("lda", **(options(letters) | {"vocab": None}), epochs=1)
    assert bare.model.top_words(20).shape == (TOPICS, 20)


def test_documents_that_score_nothing_are_no_valid(start: Start, letters: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.ldac").write_text("0\n0\n")
    with pytest.raises(RunFailed, match=r"--valid: none of its rows has a perplexity to stop by"):
        start("lda", **options(letters), valid=str(tmp_path / "empty.ldac"))


def test_another_sampler_cannot_go_on(start: Start, letters: Path) -> None:
    run = start("lda", **options(letters), epochs=30, checkpoint_every=0.001)
    with pytest.raises(UsageError, match="--sampler warp: lda can be resumed only with what it began with"):
        start("lda", resume=run.id, sampler="warp", epochs=40)
