"""Execute: one worker's whole run of an app, the same inline, as a process, and in a container."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from hdfs_io import DataError, exists, join
from yarnml.app.finite import finite_arrays, finite_numbers
from yarnml.app.output import shared_output
from yarnml.app.worker import Worker
from yarnml.model import Model, made_by, save_model


def execute(me: Worker) -> dict[str, Any]:
    """Run the app as this worker, save what it made, and return the results, the same for all workers.

    {"train": metrics, "test": metrics, "model": url or None, "out": url or None, "notes": [...], "seconds": {...}};
    with --valid also "valid": metrics and "best_pass", the pass from 1 that they and the model are of; of apps that
    have one "summary": lines on what was learned; with --bad-rows skip "left_out": {part: {what is wrong: rows}}, of
    parts that rows were left out of.
    BLAS is held to one thread: apps share rows out over `me.crew`, which costs less and gives the same bits each time.
    numpy warns of no overflow and no nan: what is learned and reported is looked at instead, and then nothing is saved.
    """
    with threadpool_limits(1, user_api="blas"), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        try:
            me.restore()
            results = _with_model(me) if me.app.predict is not None else _with_output(me)
            me.finish()
        finally:
            me.leave()
            me.crew.close()
        return results | _left_out(me)


def _left_out(me: Worker) -> dict[str, Any]:
    parts = {name: getattr(me.job, name) for name in ("train", "valid", "test")}
    found = {name: dict(part.dataset.left_out) for name, part in parts.items() if part is not None}
    found = {name: kinds for name, kinds in found.items() if kinds}
    return {"left_out": found} if found else {}


def _with_model(me: Worker) -> dict[str, Any]:
    _ = me.share  # read before the clock of training runs
    with me.timed("train"):
        extra = _work(me)
    model = me.passes.best or me.learned()
    finite_arrays(model.arrays, f"after clock {me.clock_now}", me.app, me.config)
    results: dict[str, dict[str, float]] = {"train": {}, "test": {}}
    with me.timed("score"):
        train, test = me.job.train, me.job.test
        if train is not None and me.rows:
            results["train"] = me.measure(model, train, me.share, enough=True)
        if test is not None and (_needs_no_label(me) or test.dataset.has_label):
            results["test"] = me.measure(model, test, me.share_of(test))
        if "valid" in model.metrics:
            results["valid"] = model.metrics["valid"]
    for part, metrics in results.items():
        finite_numbers(metrics, f"on the {part} rows", me.app, me.config)
    url = me.job.out or join(me.job.url, "model")
    _save(me, replace(model, metrics=results, notes=tuple(me.notes), run=me.job.run), url)
    more: dict[str, Any] = {} if me.passes.best_pass is None else {"best_pass": me.passes.best_pass}
    more |= {"summary": list(lines)} if (lines := model.summary()) else {}
    return {**results, **more, **extra, "model": url, "out": None, "notes": me.notes, "seconds": me.seconds}


def _needs_no_label(me: Worker) -> bool:
    task = me.app.task
    return task is not None and (task.label is None or (task.label == "rating" and me.schema.label is None))


def _with_output(me: Worker) -> dict[str, Any]:
    url = me.job.out or join(me.job.url, "out")
    me.keeps()  # the place of its part, which the first worker has said
    with _room_at(url), shared_output(me, url) as me.out, me.timed("work"):
        extra = _work(me)
    base: dict[str, Any] = {"train": {}, "test": {}, "model": None, "out": url}
    return {**base, **extra, "notes": me.notes, "seconds": me.seconds}


def _work(me: Worker) -> dict[str, Any]:
    if me.app.start is not None and me.began.clock == 0:
        me.app.start(me, me.config)
        me.begin()
    me.enter()
    extra = me.app.work(me, me.config)
    me.refuse_idle()
    me.at_work = False
    me.settle()
    return dict(extra or {})


def _save(me: Worker, model: Model, url: str) -> None:
    """Worker 0 writes; the others wait, so that no process reports success for a model that isn't there."""
    with me.timed("save"):
        if me.index == 0:
            source = me.app.source if me.app.private else None
            saved_before = me.began.generation > 0 and made_by(url, me.job.run)  # it went back since
            overwrite = me.job.overwrite or saved_before
            if me.job.out and not overwrite and exists(url):
                own = join(me.job.url, "model")
                save_model(model, own, source=source, overwrite=True)
                raise DataError(f"{url}: has come to be since the run began, and isn't replaced; the model is in {own}")
            save_model(model, url, source=source, overwrite=overwrite)
        me.gather(np.zeros(0))


@contextmanager
def _room_at(url: str) -> Iterator[None]:
    """That there is none left is said with the place: a full disk names no file."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DataError(f"{url}: can't be written: {error.strerror}") from error
