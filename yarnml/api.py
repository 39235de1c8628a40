"""yarnml in Python: `run` an app, `load` a model. The command line calls the same functions."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any, final

from yarnml.app import Model, load_app, open_model
from yarnml.comm.outcome import Outcome
from yarnml.errors import RunFailed, Stopped, UsageError
from yarnml.job import Job
from yarnml.launch import Report, launcher
from yarnml.monitor.terminal import View, view
from yarnml.prepare import prepare, said_of_data
from yarnml.record import Record
from yarnml.runs import RunDir
from yarnml.watch import Watch

__all__ = ["Run", "load", "prepare", "run", "start"]


def run(app: str | PathLike[str], **options: Any) -> Run:
    """Start an app, by its name or the path of its folder, and return the run at once.

    `options` are the flags of `yarnml run APP --help`, with `_` for `-`: `data=`, `test=0.2`, `workers=2`, and the
    app's own, such as `epochs=5`. Raises UsageError or DataError for what would be refused there. Progress is shown on
    standard error.

        run = yarnml.run("mlr", data="train.csv", test=0.2, workers=2, epochs=5).wait()
        run.result["test"]["accuracy"], run.metrics.to_pandas(), run.model.predict(X)
    """
    loaded = load_app(fspath(app))
    job = prepare(loaded, options)
    return start(job, view())


def load(url: str | PathLike[str], *, trust: bool = False) -> Model:
    """The model saved at `url`, on any store, to `.predict(X)` with.

    A model made by a private app carries that app's code, which runs only with `trust=True`.
    """
    return open_model(fspath(url), trust=trust)


def start(job: Job, view: View) -> Run:
    """Start a prepared job: its directory is made, its processes begin."""
    return Run(job, view)


@final
class Run:
    """A run that was started here."""

    def __init__(self, job: Job, view: View) -> None:
        self.id = job.run
        self.url = job.url
        self.app = job.app
        self._directory = RunDir.create(job)
        self._watch = Watch(self._directory, view)
        self._outcome: Outcome | None = None
        for line in [*said_of_data(job), f"run      {job.url}"]:
            self._watch.say(line)
        try:
            self._handle = launcher(job).start(job, self._take)
        except BaseException as error:
            self._directory.end("failed", message=f"could not be started: {error}")
            raise
        self._watch.start(on_kill=self.kill)

    def wait(self) -> Run:
        """Wait for the end; RunFailed or Stopped says why there is no result."""
        outcome = self.finish()
        if outcome.ok:
            return self
        raise (RunFailed if outcome.state == "failed" else Stopped)(outcome.message)

    def kill(self) -> None:
        """End the run; `wait` then raises Stopped."""
        self._handle.kill()

    def finish(self) -> Outcome:
        """Wait for the end, however it comes, and write it down."""
        if self._outcome is None:
            self._outcome = outcome = self._handle.wait()
            self._watch.close()
            self._directory.end(outcome.state, result=outcome.result, message=outcome.message)
        return self._outcome

    @property
    def record(self) -> Record:
        """run.json: state, times, versions, result."""
        return self._directory.record()

    @property
    def state(self) -> str:
        """`running`, `succeeded`, `failed`, `killed`, `interrupted` or `deadline`."""
        return self.record.state

    @property
    def result(self) -> dict[str, Any]:
        """What the app found: {"train": metrics, "test": metrics, "model": url, ...}; waits for the end."""
        return dict(self.wait().record.result)

    @property
    def metrics(self) -> Any:
        """All numbers reported so far as an Arrow table; `.to_pandas()` where pandas is installed."""
        return self._directory.metrics()

    @property
    def model(self) -> Model:
        """The trained model; waits for the end."""
        url = self.result.get("model")
        if url is None:
            raise UsageError(f"app {self.app} makes no model; what it made is at {self.result.get('out')}")
        return load(url, trust=True)

    def _take(self, report: Report) -> None:
        self._watch.take(report.worker, report.numbers)
