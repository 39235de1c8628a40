"""A started run, wherever it runs: to wait for, to end, to ask for what it found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self, final

from yarnml.app import Model, open_model
from yarnml.comm.outcome import Outcome
from yarnml.errors import RunFailed, Stopped, UsageError
from yarnml.job import Job
from yarnml.record import Record
from yarnml.runs import RunDir


class Run(ABC):
    """A run that was started here."""

    def __init__(self, job: Job, directory: RunDir) -> None:
        self.id = job.run
        self.url = job.url
        self.app = job.app
        self._directory = directory
        self._outcome: Outcome | None = None

    @final
    def __repr__(self) -> str:
        return f"<yarnml run {self.id} in {self.url}>"

    @abstractmethod
    def finish(self) -> Outcome:
        """Wait for the end, however it comes, and see to it that it is written down.

        Where Ctrl-C breaks that off once `outcome` is known, another call goes on with it.
        """

    @abstractmethod
    def kill(self) -> None:
        """End the run at its next clock, with a last checkpoint if it can; once more ends it at once.

        `wait` then raises Stopped.
        """

    @final
    @property
    def outcome(self) -> Outcome | None:
        """How it ended, once `finish` has heard of it."""
        return self._outcome

    @final
    def wait(self) -> Self:
        """Wait for the end; RunFailed or Stopped says why there is no result."""
        outcome = self.finish()
        if outcome.ok:
            return self
        raise (RunFailed if outcome.state == "failed" else Stopped)(outcome.message)

    @final
    @property
    def record(self) -> Record:
        """run.json: state, times, versions, result."""
        return self._directory.record()

    @final
    @property
    def state(self) -> str:
        """`running`, `succeeded`, `failed`, `killed`, `interrupted` or `deadline`."""
        return self.record.state

    @final
    @property
    def result(self) -> dict[str, Any]:
        """What the app found: {"train": metrics, "test": metrics, "model": url, ...}; waits for the end."""
        return dict(self.wait().finish().result or {})

    @final
    @property
    def metrics(self) -> Any:
        """All numbers reported so far as an Arrow table; `.to_pandas()` where pandas is installed."""
        return self._directory.metrics()

    @final
    @property
    def model(self) -> Model:
        """The trained model; waits for the end."""
        url = self.result.get("model")
        if url is None:
            raise UsageError(f"app {self.app} makes no model; what it made is at {self.result.get('out')}")
        return open_model(url, trust=True)
