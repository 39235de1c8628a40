"""Passes: what can't be gone on with is refused, the best is kept, and another goes on as if it had been there."""

from __future__ import annotations

import numpy as np
import pytest

from hdfs_io import Schema
from yarnml.app.passes import Passes
from yarnml.errors import UsageError
from yarnml.model import Model


def model(number: float) -> Model:
    schema = Schema(sparse=False, width=1)
    return Model(app="x", task="regression", schema=schema, config={}, arrays={"c": np.array([number])})


def test_other_passes_than_before_are_refused() -> None:
    passes = Passes()
    passes.begin(5, 0, 50, 3, resumed=False)
    passes.begin(5, 7, 50, 3, resumed=True)
    with pytest.raises(UsageError, match="a pass has 6 clocks now, and had 5"):
        passes.begin(6, 7, 50, 3, resumed=True)
    with pytest.raises(UsageError, match="is at clock 11, and 2 passes end at clock 10"):
        passes.begin(5, 11, 10, 3, resumed=True)
    passes.begin(5, 11, 10, 3, resumed=False)  # after a death the run's own end may have been


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_the_best_is_kept_whoever_goes_on(cut: int) -> None:
    passes = Passes()
    passes.begin(2, 0, 100, 2, resumed=False)
    for epoch, rmse in enumerate([3.0, 1.0, 2.0, 1.5]):
        if epoch == cut:
            kept, best = passes.to_json(2 * epoch), passes.best
            assert kept["begun"] == epoch
            passes = Passes()
            passes.restore(kept, None if best is None else model(best["c"][0]))
            passes.begin(2, 2 * epoch, 100, 2, resumed=True)
        passes.epoch = epoch
        why = passes.scored(model(epoch), {"rmse": rmse, "mae": 0.0}, "rmse")
        assert bool(why) == (epoch == 3)
    assert why == "stopped after pass 4: no gain since pass 2 (rmse 1)"
    assert passes.best is not None
    assert (passes.best_pass, passes.best["c"].tolist()) == (2, [1.0])
    assert passes.best.metrics == {"valid": {"rmse": 1.0, "mae": 0.0}}


def test_rows_that_have_no_score_are_refused() -> None:
    with pytest.raises(UsageError, match="--valid: none of its rows has a perplexity"):
        Passes().scored(model(0), {}, "perplexity")


def test_work_without_batches_says_which_pass_is_over() -> None:
    passes = Passes()
    assert passes.to_json(7)["begun"] == 1
    passes.over(4, 1)
    assert (passes.epoch, passes.to_json(7)["begun"]) == (4, 6)
    passes.scored(model(0), {"rmse": 1.0}, "rmse")
    assert passes.scored(model(1), {"rmse": 2.0}, "rmse").startswith("stopped after pass 5")
