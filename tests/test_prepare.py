"""Preparing a job: what is trained on and held out, and what is refused before anything starts."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from yarnml.app import App, load_app
from yarnml.capacity import cores
from yarnml.errors import DataError, UsageError
from yarnml.job import Job
from yarnml.prepare import prepare
from yarnml.ps import TableSpec
from yarnml.ps.functions import AdaGrad

TINY = Path(__file__).parent / "tiny"


@pytest.fixture(scope="module")
def app() -> App:
    return load_app(str(TINY))


@pytest.fixture
def table(tmp_path: Path) -> str:
    file = tmp_path / "table.csv"
    file.write_text("a,y\n" + "".join(f"{i},{i % 5}\n" for i in range(1000)))
    return str(file)


def refused(app: App, **options: Any) -> str:
    with pytest.raises((UsageError, DataError)) as caught:
        prepare(app, options)
    return str(caught.value)


def test_a_job_says_all_that_a_process_must_know(app: App, table: str, tmp_path: Path) -> None:
    runs = str(tmp_path / "runs")
    job = prepare(app, {"data": table, "runs": runs, "epochs": 7, "workers": 2, "staleness": None, "seed": 3})
    assert (job.app, job.workers, job.servers, job.staleness, job.seed) == (str(TINY), 2, 1, None, 3)
    assert job.config == {"epochs": 7, "pause": 0.0, "fail": False}
    assert job.train is not None
    assert job.train.rows == 1000
    assert (job.valid, job.test) == (None, None)
    assert job.threads == max(1, cores() // 2)
    assert Job.from_json(job.to_json()) == job
    assert not Path(runs).exists()


def test_fractions_part_the_rows(app: App, table: str) -> None:
    job = prepare(app, {"data": table, "test": 0.2, "valid": 0.1, "seed": 1})
    parts = [part for part in (job.train, job.valid, job.test) if part is not None]
    masks = [part.sample.mask(0, 1000) for part in parts]
    assert (np.sum(masks, axis=0) == 1).all()
    assert [part.rows for part in parts] == [mask.sum() for mask in masks]
    assert parts[2].rows == pytest.approx(200, abs=50)


def test_a_fraction_depends_on_the_seed_alone(app: App, table: str) -> None:
    def mask(**options: Any) -> bytes:
        job = prepare(app, {"data": table, "test": 0.2, **options})
        assert job.test is not None
        return job.test.sample.mask(0, 1000).tobytes()

    assert mask(seed=1) == mask(seed=1, valid=0.3, workers=3)
    assert mask(seed=1) != mask(seed=2)


def test_a_test_set_of_its_own_is_read_as_the_training_data(app: App, table: str, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("y,a\n7,1\n")
    job = prepare(app, {"data": table, "test": other, "label": "y"})
    assert job.test is not None
    assert job.train is not None
    assert job.test.dataset.schema == job.train.dataset.schema
    assert job.test.rows == 1


def test_what_is_refused(app: App, table: str, tmp_path: Path) -> None:
    assert "did you mean 'table.csv'" in refused(app, data=str(tmp_path / "tabel.csv"))
    assert "name yours with --data" in refused(app)
    assert "expected a whole number at least 1" in refused(app, data=table, workers=0)
    assert "--staleness" in refused(app, data=table, staleness=-1)
    assert "a fraction lies between 0 and 1" in refused(app, data=table, test="1.5")
    assert "--test" in refused(app, data=table, test=1.5)
    assert "nothing is left to train on" in refused(app, data=table, test=0.5, valid=0.5)
    assert "unknown option 'epoch'; did you mean 'epochs'?" in refused(app, data=table, epoch=3)
    assert "epochs: expected a whole number at least 1" in refused(app, data=table, epochs=0)


def test_local_paths_are_recorded_whole(app: App, table: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    job = prepare(app, {"data": table, "out": "mine", "runs": "memory://runs"})
    assert (job.out, job.runs) == (str(tmp_path / "mine"), "memory://runs")


def test_what_is_there_is_not_overwritten_unasked(app: App, table: str, tmp_path: Path) -> None:
    for name, mark in (("model", "model.json"), ("set", "_SUCCESS")):
        out = tmp_path / name
        out.mkdir()
        assert "say --overwrite" in refused(app, data=table, out=str(out))
        (out / "file").write_text("")
        assert "neither a model nor a data set" in refused(app, data=table, out=str(out), overwrite=True)
        (out / mark).write_text("")
        assert prepare(app, {"data": table, "out": out, "overwrite": True}).overwrite
    file = tmp_path / "file.txt"
    file.write_text("")
    assert "say --overwrite" in refused(app, data=table, out=str(file))
    assert "a file that yarnml didn't make" in refused(app, data=table, out=str(file), overwrite=True)


def test_an_output_is_apart_from_all_that_is_read(
    app: App, table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, data, runs = tmp_path / "work", tmp_path / "ds", tmp_path / "runs"
    for folder in (work, data, runs):
        folder.mkdir()
    (data / "part.csv").write_bytes(Path(table).read_bytes())
    (tmp_path / "link").symlink_to(data)
    monkeypatch.chdir(work)
    asked: dict[str, Any] = {"data": str(data), "valid": table, "runs": str(runs), "overwrite": True}
    for out, says in {
        "": "names no place",
        ".": "is the working directory",
        "..": "holds the working directory",
        "~": "your home",
        "/": "holds the working directory",
        str(data): "is --data",
        str(data / "model"): "lies in --data",
        str(tmp_path / "link" / "model"): "lies in --data",
        table: "is --valid",
        str(runs): "is --runs",
        str(runs / "tiny-1"): "lies in --runs",
    }.items():
        assert says in refused(app, **asked, out=out)
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "part.csv").write_bytes(Path(table).read_bytes())
    asked["data"] = f"{tmp_path}/*/part.csv"
    assert "holds --data" in refused(app, **asked, out=str(tmp_path / "two"))
    asked["data"] = f"{data}/part.csv,{tmp_path}/two"
    assert "is --data" in refused(app, **asked, out=str(tmp_path / "two"))
    assert prepare(app, {**asked, "out": "model"}).out == str(work / "model")
    assert sorted(path.name for path in work.iterdir()) == []


def test_the_root_of_a_store_is_no_place(app: App, table: str) -> None:
    assert "is the root of its store" in refused(app, data=table, out="memory://", overwrite=True)


def test_a_place_where_nothing_can_be_made(app: App, table: str) -> None:
    assert "/proc/model: can't be written" in refused(app, data=table, out="/proc/model")
    assert "is a file, not a directory" in refused(app, data="memory://none", out=f"{table}/model")


def test_one_file_has_one_writer(app: App, table: str, tmp_path: Path) -> None:
    file = str(tmp_path / "x.csv")
    writer = replace(app, predict=None)
    assert "2 workers write a file each" in refused(writer, data=table, out=file, workers=2)
    Path(file).write_text("prediction\n1\n")
    assert "say --overwrite" in refused(writer, data=table, out=file)
    assert prepare(writer, {"data": table, "out": file, "overwrite": True}).out == file


def test_what_a_crash_left_aside_counts_as_there(app: App, table: str, tmp_path: Path) -> None:
    (tmp_path / ".m.yarnml-old").mkdir()
    (tmp_path / ".m.yarnml-old" / "model.json").write_text("{}")
    assert "exists already" in refused(app, data=table, out=str(tmp_path / "m"))
    assert (tmp_path / "m" / "model.json").is_file()


def test_tables_that_are_empty_or_too_large(app: App, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def sized(rows: int, width: int) -> App:
        return replace(app, tables=lambda cfg, schema: [TableSpec("W", (rows, width), function=AdaGrad(0.1))])

    assert "table 'W' of shape (0, 3)" in refused(sized(0, 3), data=table)
    monkeypatch.setattr("yarnml.capacity.machine_memory", lambda: 8 << 30)
    assert prepare(sized(1 << 30, 1), {"data": table}).train  # 4 GiB, and as much of AdaGrad's
    message = refused(sized((1 << 30) + 1, 1), data=table)
    assert "8.0 GiB of this machine: table 'W' of 1,073,741,825 x 1 float32 8.0 GiB" in message
    assert "--servers" in message
    assert prepare(sized((1 << 31) - 1, 3), {"data": table}, here=False).train


def test_memory_that_is_too_little_is_refused_with_the_least_that_works(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = " ".join(f"{k}:1" for k in range(1, 30_001))
    wide = tmp_path / "wide.libsvm"
    wide.write_text("".join(f"{i % 2} {pairs}\n" for i in range(12)))
    least = "is too little for the rows of this data; 2MiB is the least that works"  # a batch is a row of 240 KB
    assert refused(app, data=str(wide), data_memory="1") == f"--data-memory 1: {least}"
    assert prepare(app, {"data": str(wide), "data_memory": "2MiB"}).train
    monkeypatch.setattr("yarnml.app.budget.MOST", 1)
    assert "; 3MiB is the least" in refused(app, data=str(wide), data_memory="2MiB")
    monkeypatch.setattr("yarnml.capacity.machine_memory", lambda: 3 << 20)
    assert refused(app, data=str(wide)).startswith("--data-memory 1MiB: is too little")
    assert refused(app, data=str(wide), data_memory="0.5") == "--data-memory 0.5: 1MiB is the least"


def test_what_is_held_out_has_rows(app: App, table: str, tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_text("a,y\n")
    assert "empty.csv: holds no rows" in refused(app, data=table, test=str(empty), label="y")
    assert "--valid 1e-09: holds no rows" in refused(app, data=table, valid=1e-9)


def test_a_test_set_without_labels_is_refused(app: App, table: str, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a\n1\n2\n")
    assert "other.csv: has no column 'y'" in refused(app, data=table, test=str(other), label="y")


def test_no_rows_to_train_on(app: App, tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_text("a,y\n")
    assert "empty.csv" in refused(app, data=str(empty))


def test_a_reserved_flag_is_refused(table: str, tmp_path: Path) -> None:
    source = (TINY / "app.py").read_text().replace("pause:", "seed:").replace("cfg.pause", "cfg.seed")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "app.py").write_text(source)
    message = refused(load_app(str(tmp_path / "mine")), data=table)
    assert "app mine: its Config has 'seed'" in message


def test_what_a_worker_keeps_and_sends(app: App, table: str) -> None:
    job = prepare(app, {"data": table, "staleness": 2, "cache": "5%", "bandwidth": "1MiB", "order": "fifo"})
    assert (job.cache, job.bandwidth, job.order) == ("5%", 1 << 20, "fifo")
    assert Job.from_json(job.to_json()) == job
    for cache, says in (
        ("5", "the unit is missing: 5MiB?"),
        ("200%", "no more than 100%"),
        ("much", "expected a part"),
    ):
        assert refused(app, data=table, cache=cache).startswith(f"--cache {cache}: ")
        assert says in refused(app, data=table, cache=cache)
    assert "the unit is missing: 1MiB?" in refused(app, data=table, staleness=1, bandwidth="1")
    assert "--bandwidth fast: expected a size" in refused(app, data=table, staleness=1, bandwidth="fast")
    assert "nothing may wait" in refused(app, data=table, bandwidth="1MiB")


def test_data_without_a_feature_is_refused_and_words_are_pointed_at(tmp_path: Path) -> None:
    file = tmp_path / "mail.csv"
    file.write_text("kind,mail\n" + "".join(f"{'ham' if i % 2 else 'spam'},word {i}\n" for i in range(50)))
    mlr, none = load_app("mlr"), f"{file}: no column is left to learn from"
    counts = "'mail' holds words of too many kinds: give numbers, such as counts of the words"
    assert refused(mlr, data=str(file), label="kind") == f"{none}; {counts}"
    assert prepare(mlr, {"data": str(file), "label": "kind", "features": ("mail",)}).train is not None
    assert refused(mlr, data=str(file), label="kind", words="drop") == none
    file.write_text("kind\n1\n2\n")
    assert refused(mlr, data=str(file), label="kind") == none
    file.write_text("kind,who,what\n1,2,3\n2,3,4\n")
    assert refused(mlr, data=str(file), label="kind", user="who", item="what") == none
    file.write_text("".join("some words " * (1 + i % 7) + f"{i}.\n" for i in range(50)))
    assert "--features" not in refused(load_app("kmeans"), data=str(file))
    texts = tmp_path / "docs"
    texts.write_text("The cat sat on the mat.\nThe dog did not.\n")
    assert refused(mlr, data=str(texts)).startswith(f"{texts}: its rows are texts; give numbers: ")


@pytest.mark.parametrize("name", ["mlr", "svm", "logreg_l1", "lasso", "kmeans", "lda", "medlda", "mf"])
def test_text_is_refused_before_anything_is_read(name: str) -> None:
    app, away = load_app(name), "/nowhere/at/all"
    bags = "libsvm, LDA-C (ldac) or docword" if name in ("kmeans", "lda") else "libsvm"
    why = f"text, which app {name} has no use for; give it numbers: columns of them, or counts of the words as {bags}"
    assert refused(app, data=away, text="mail", id="n") == f"--text mail: this column holds {why}"
    assert refused(app, data=away, text=1, format="csv") == f"--text 1: this column holds {why}"
    for kind in ("text", "files"):
        assert refused(app, data=away, format=kind) == f"--format {kind}: column 'text' holds {why}"
        assert refused(app, data=away, format=kind, text="class") == f"--text class: this column holds {why}"
    assert refused(app, text="mail") == f"--text mail: this column holds {why}"  # not only with data of one's own


def test_an_app_without_a_task_may_read_texts(app: App, tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("one\ntwo\n")
    alone = replace(app, task=None, predict=None)
    job = prepare(alone, {"data": str(tmp_path / "lines"), "format": "text"})
    assert job.train is not None
    assert (job.train.rows, job.train.dataset.options.roles.text) == (2, "text")


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"workers": 100_000}, r"--workers 100000 --servers 1: 100,001 processes on \d+ cores"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**63}, "seed"),
        ({"staleness": 10**9}, "staleness"),
        ({"runs": "/proc/nowhere"}, r"^--runs /proc/nowhere/run: can't be written: [^:]*$"),
    ],
)
def test_numbers_and_places_that_make_no_sense(app: App, table: str, said: dict[str, Any], says: str) -> None:
    assert re.search(says, refused(app, data=table, **said))
