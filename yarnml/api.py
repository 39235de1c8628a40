"""yarnml in Python: `run` an app here, `submit` it to a cluster, `load` a model, as the command line does."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from os import PathLike, fspath
from typing import Any, final

from yarnml.app import Model, load_app, open_model
from yarnml.comm.effects import Say, Setback
from yarnml.comm.outcome import Outcome
from yarnml.config import hints
from yarnml.errors import DataError, UsageError
from yarnml.job import Job
from yarnml.launch import Report, launcher
from yarnml.model import made_by
from yarnml.monitor.terminal import View, view
from yarnml.prepare import prepare, said_of_data
from yarnml.request import Data
from yarnml.runs import RunDir
from yarnml.started import Run
from yarnml.submission import Submission
from yarnml.watch import Watch

__all__ = ["Run", "load", "prepare", "run", "start", "submit"]


LAST = 3.0  # seconds for a run that is ending, once it is interrupted twice


def run(app: str | PathLike[str], **options: Any) -> Run:
    """Start an app, by its name or the path of its folder, and return the run at once.

    `options` are the flags of `yarnml run APP --help`, with `_` for `-`: `data=`, `test=0.2`, `workers=2`, and the
    app's own, such as `epochs=5`. Raises UsageError or DataError for what would be refused there. Progress is shown on
    standard error.

        run = yarnml.run("mlr", data="train.csv", test=0.2, workers=2, epochs=5).wait()
        run.result["test"]["accuracy"], run.metrics.to_pandas(), run.model.predict(X)
    """
    _refuse_tables(options)
    loaded = load_app(fspath(app))
    shown = view()
    return start(prepare(loaded, options, say=shown.say), shown)


def submit(app: str | PathLike[str], **options: Any) -> Run:
    """Start an app on the Hadoop cluster of HADOOP_CONF_DIR, or of this machine, and return the run at once.

    `options` are the flags of `yarnml submit APP --help`: those of `run`, and `queue=`, `worker_memory="4GiB"`, ...
    """
    _refuse_tables(options)
    with Submission.prepare(load_app(fspath(app)), options, view()) as submission:
        return submission.start()


def load(url: str | PathLike[str], *, trust: bool = False) -> Model:
    """The model saved at `url`, on any store, to `.predict(X)` with.

    What else it can do depends on its app: `.predict_proba(X)` of classes, `.recommend(users, n)` of ratings,
    `.coefficients` of a linear model, `.top_words(n)` of topics; `.summary()` says what was learned.
    A model made by a private app carries that app's code, which runs only with `trust=True`.
    """
    return open_model(fspath(url), trust=trust)


def start(job: Job, view: View) -> Run:
    """Start a prepared job: its directory is made, its processes begin."""
    return LocalRun(job, view)


def _refuse_tables(options: Mapping[str, Any]) -> None:
    """UsageError for data in memory, which other processes and a later --resume couldn't read."""
    for name in hints(Data):
        if hasattr(options.get(name), "shape"):
            kind = type(options[name]).__name__
            raise UsageError(f"{name}=: takes a data set's path or URL, no {kind}; write it to a file, such as Parquet")


@final
class LocalRun(Run):
    """A run of this process, or of processes of this machine."""

    def __init__(self, job: Job, view: View) -> None:
        super().__init__(job, RunDir.create(job))
        self._job = job
        self._watch = Watch(self._directory, view)
        self._told = False  # its end is written down
        for line in [*said_of_data(job), f"run      {job.url}"]:
            self._watch.say(line)
        try:
            self._handle = launcher(job).start(job, self._take, self._heed)
        except BaseException as error:
            with suppress(OSError, DataError):
                self._directory.end("failed", message=f"could not be started: {error}")
            raise
        self._watch.start(on_kill=self.kill, ending=self._ending)

    def kill(self) -> None:
        self._handle.kill()

    def _ending(self) -> str:
        wish = self._handle.wish()
        return "" if wish is None else wish.told(self._job.respite)

    def finish(self) -> Outcome:
        if self._outcome is None:
            self._outcome = self._wait()
        outcome = self._outcome
        if not self._told:
            self._watch.close()
            try:
                self._directory.end(outcome.state, result=outcome.result, message=outcome.message)
            except (OSError, DataError) as error:
                self._watch.lost("how it ended", error)
            self._told = True
        return outcome

    def _wait(self) -> Outcome:
        try:
            return self._handle.wait()
        except KeyboardInterrupt:  # the second one
            with suppress(KeyboardInterrupt):  # whoever presses on doesn't want to wait
                if (outcome := self._handle.wait(LAST)) is not None:
                    return outcome
            return self._left()

    def _left(self) -> Outcome:
        """What is said of a run that is left while it ends."""
        url = self._job.out or self._directory.model
        whole = f", but its model is whole: {url}" if made_by(url, self.id) else ""
        return Outcome("interrupted", f"interrupted twice by Ctrl-C; its end was not waited for{whole}")

    def _take(self, report: Report) -> None:
        self._watch.take(report.worker, report.numbers)

    def _heed(self, news: Say | Setback) -> None:
        if isinstance(news, Say):
            self._watch.say(news.text)
        else:
            self._watch.go_back(news.generation, self._job.clock_of(news.clock), news.reason)
