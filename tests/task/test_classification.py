"""Classification's metrics are scikit-learn's, whatever parts they are merged from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

from hdfs_io import Label, Schema
from yarnml.errors import UsageError
from yarnml.task import Classification, Partial, task_of
from yarnml.task import classification as module
from yarnml.task import task as task_module

task = Classification()


def sample(n: int, K: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, K)) * 2
    P = (np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True)).astype(np.float32)
    P = np.round(P, 2) if K == 2 else P  # ties
    return P, rng.integers(0, K, n).astype(np.int32), rng.random(n).astype(np.float32)


def metrics(P: np.ndarray, y: np.ndarray, w: np.ndarray | None, parts: int = 1) -> dict[str, float]:
    cuts = [len(y) * part // parts for part in range(parts + 1)]
    some = [slice(lo, hi) for lo, hi in pairwise(cuts)]
    partials = [task.partial({"probability": P[s]}, y[s], None if w is None else w[s]) for s in some]
    return task.metrics(task.merge(partials))


@pytest.mark.parametrize("K", [2, 5])
@pytest.mark.parametrize("parts", [1, 3, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_scikit_learn(K: int, parts: int, weighted: bool) -> None:
    P, y, w = sample(500, K)
    weight = w if weighted else None
    P = P / P.sum(axis=1, keepdims=True)
    found = metrics(P, y, weight, parts)
    assert found["accuracy"] == pytest.approx(accuracy_score(y, P.argmax(axis=1), sample_weight=weight))
    expected = log_loss(y, P.astype(np.float32), labels=range(K), sample_weight=weight)
    assert found["log_loss"] == pytest.approx(expected, rel=1e-5)
    if K == 2:
        assert found["roc_auc"] == pytest.approx(roc_auc_score(y, P[:, 1], sample_weight=weight), abs=1e-12)
    else:
        assert "roc_auc" not in found


def test_sure_and_wrong_costs_what_scikit_learn_says() -> None:
    P, y = np.array([[1, 0], [0, 1]], np.float32), np.array([1, 1], np.int32)
    assert metrics(P, y, None)["log_loss"] == pytest.approx(log_loss(y, P, labels=[0, 1]), rel=1e-6)


def test_many_scores_are_made_coarser_and_the_area_hardly_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    p = rng.random(20_000).astype(np.float32)
    y = (rng.random(20_000) < p).astype(np.int32)
    P = np.stack([1 - p, p], axis=1)
    monkeypatch.setattr(module, "DISTINCT", 1000)
    assert metrics(P, y, None, parts=3)["roc_auc"] == pytest.approx(roc_auc_score(y, p), abs=1e-4)


def test_partials_that_come_one_by_one_are_held_in_few(monkeypatch: pytest.MonkeyPatch) -> None:
    P, y, w = sample(2000, 2)
    parts = [task.partial({"probability": P[at : at + 5]}, y[at : at + 5], w[at : at + 5]) for at in range(0, 2000, 5)]
    held, merge = [], Classification.merge

    def counted(self: Classification, partials: Sequence[Partial]) -> Partial:
        held.append(len(partials))
        return merge(self, partials)

    monkeypatch.setattr(task_module, "FEW", 1 << 12)
    monkeypatch.setattr(Classification, "merge", counted)
    assert task.metrics(task.fold(iter(parts))) == pytest.approx(task.metrics(merge(task, parts)))
    assert max(held) < 100


def test_rows_of_one_class_have_no_area_and_no_rows_no_metrics() -> None:
    P, y, _ = sample(10, 2)
    assert "roc_auc" not in metrics(P, np.zeros_like(y), None)
    assert metrics(P[:0], y[:0], None) == {}


def test_table_has_the_original_labels() -> None:
    schema = Schema(sparse=False, width=1, label=Label("y", ("no", "yes")))
    table = task.table({"probability": np.array([[0.9, 0.1], [0.2, 0.8]], np.float32)}, schema)
    assert list(table) == ["prediction", "probability_no", "probability_yes"]
    assert table["prediction"].tolist() == ["no", "yes"]
    assert table["probability_yes"].tolist() == pytest.approx([0.1, 0.8])


def test_table_of_the_top_classes() -> None:
    schema = Schema(sparse=False, width=1, label=Label("y", (3, 5, 7)))
    table = task.table({"probability": np.array([[0.2, 0.5, 0.3]], np.float32)}, schema, top=2)
    assert list(table) == ["prediction_1", "probability_1", "prediction_2", "probability_2"]
    assert [table["prediction_1"][0], table["prediction_2"][0]] == [5, 7]
    assert table["prediction_1"].dtype.kind == "i"


@pytest.mark.parametrize("label", [None, Label("y", (1,)), Label("y", ())])
def test_fewer_than_two_classes_are_refused(label: Label | None) -> None:
    with pytest.raises(UsageError, match="label"):
        task.refuse(Schema(sparse=False, width=1, label=label))


def test_named_in_a_model() -> None:
    assert isinstance(task_of("classification"), Classification)
