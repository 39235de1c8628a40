"""Each app on each kind of data: what it can't use is refused before anything starts, with what it wants and how."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from yarnml.cli import main

ROWS = 40
RNG = np.random.default_rng(0)
X = RNG.standard_normal((ROWS, 3)).round(3).tolist()
BAGS = [" ".join(f"{word}:{RNG.integers(1, 4)}" for word in sorted(RNG.choice(30, 5, False) + 1)) for _ in X]
FILES = {
    "classes": ("t.csv", ["a,b,y", *(f"{a},{b},{'no' if c < 0 else 'yes'}" for a, b, c in X)]),
    "numbers": ("t.csv", ["a,b,y", *(f"{a},{b},{c}" for a, b, c in X)]),
    "ratings": ("t.csv", ["user,item,rating", *(f"u{k % 9},i{k % 7},{k % 5 + 1}" for k in range(ROWS))]),
    "counts": ("t.libsvm", [f"{k % 2} {bag}" for k, bag in enumerate(BAGS)]),
    "bags": ("t.ldac", [f"5 {bag}" for bag in BAGS]),
    "sparse": ("t.libsvm", [f"{k % 2} 1:{a} 5:{b} 9:{c}" for k, (a, b, c) in enumerate(X)]),
    "words": ("t.csv", ["a,b", *(f"{'xyz'[k % 3]},{'pq'[k % 2]}" for k in range(ROWS))]),
}
CLASSIFIERS, ALL = ("mlr", "svm", "logreg_l1"), ("mlr", "svm", "logreg_l1", "lasso", "kmeans", "mf", "lda", "medlda")
NO_COUNTS = (
    "topics are learned from counts of words, whole numbers from 0 to 2^24; leave other columns out with --features"
)
UNFIT = {
    **{("numbers", app): "say which column holds the classes: --label" for app in (*CLASSIFIERS, "medlda")},
    **{("bags", app): "write labels and counts as libsvm" for app in (*CLASSIFIERS, "lasso", "medlda")},
    **{(kind, app): NO_COUNTS for kind in ("classes", "sparse") for app in ("lda", "medlda")},
    ("numbers", "lda"): NO_COUNTS,
    **{(kind, "lasso"): "say which column holds them: --label" for kind in ("classes", "words")},
    **{(kind, "mf"): "--user --item --rating" for kind in ("classes", "numbers", "counts", "sparse")},
    ("bags", "mf"): "write labels and counts as libsvm",
    ("words", "mf"): "has no column of ratings; name it with --rating, or say --implicit",
}


@pytest.mark.parametrize("app", ALL)
@pytest.mark.parametrize("kind", FILES)
def test_what_an_app_cannot_use_is_refused_with_what_it_wants(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, app: str
) -> None:
    name, lines = FILES[kind]
    (tmp_path / name).write_text("\n".join(lines) + "\n")
    code = main(["run", app, "--data", str(tmp_path / name), "--runs", str(tmp_path / "runs"), "--dry-run"])
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("yarnml: ")]
    if (kind, app) not in UNFIT:
        assert (code, said) == (0, [])
        return
    assert code == 2
    [line] = said
    assert UNFIT[kind, app] in line
    assert not (tmp_path / "runs").exists()
