"""A job: all that a run is asked to do, written once and read by every process of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self

from hdfs_io import Dataset, Sample


@dataclass(frozen=True, kw_only=True)
class Part:
    """The rows of one data set that serve one end: training, validation or test."""

    dataset: Dataset
    sample: Sample
    rows: int  # rows of the whole data set that the sample keeps

    def to_json(self) -> dict[str, Any]:
        return {"dataset": self.dataset.to_json(), "sample": asdict(self.sample), "rows": self.rows}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        return cls(
            dataset=Dataset.from_json(value["dataset"]), sample=Sample(**value["sample"]), rows=int(value["rows"])
        )


@dataclass(frozen=True, kw_only=True)
class Job:
    """One run's app, data, roles and promises, as JSON in the run's directory.

    Every process builds the app's tables again from it, so no object is sent between processes.
    """

    run: str  # the run's id
    runs: str  # URL of the directory that holds all runs
    app: str  # a name, or the URL of a folder
    config: dict[str, Any] = field(default_factory=dict)  # what `Config` is built from
    train: Part | None = None
    valid: Part | None = None
    test: Part | None = None
    out: str | None = None  # URL of what the app produces; None: model/ in the run's directory
    overwrite: bool = False  # what is at `out` may be replaced
    workers: int = 1
    servers: int = 1
    threads: int = 1  # cores a worker may use
    staleness: int | None = 0  # clocks; None: unbounded
    seed: int = 0
    cache: str | None = None  # what a worker may keep of tables; None: all that it has read
    bandwidth: int | None = None  # bytes a second that a process may send; None: a clock's increments leave at its end
    order: Literal["magnitude", "random", "fifo"] = "magnitude"  # in which they leave, with a bandwidth
    steal: bool = False  # who has read its rows reads those that others haven't come to
    splits: str = ""  # URL of what another run that stole has on record, which this one reads alike
    data_memory: int | None = None  # bytes that a worker's rows may take; what is beyond goes to its disk; None: any
    deadline: float | None = None  # seconds after which the run is ended
    silence: float = 10.0  # seconds without a sign of life after which a process counts as lost
    retries: int = 3  # deaths at the same place after which the run is given up
    secure: bool = False  # its processes take part with the run's keys alone
    checkpoint_every: float = 60.0  # seconds; 0: no checkpoints
    grace: float = 30.0  # seconds that a run which is to end has for a last checkpoint
    starts: bool = False  # the app has a `start`, which takes the first clock of the tables
    resume: str = ""  # URL of the checkpoint to begin with, of another run
    resume_clock: int = 0  # the clock of that checkpoint
    start_from: str | None = None  # URL of the model whose arrays the tables begin with

    @property
    def url(self) -> str:
        """The run's own directory."""
        return f"{self.runs.rstrip('/')}/{self.run}"

    @property
    def respite(self) -> float:
        """Seconds that the run may take to end, once it is to; 0 where it takes no checkpoints."""
        return self.grace if self.checkpoint_every else 0.0

    def clock_of(self, tables: int) -> int:
        """What apps and metrics call the clock that its tables call so."""
        return tables - 1 if self.starts and tables else tables

    def to_json(self) -> str:
        value = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("train", "valid", "test"):
            part: Part | None = value[name]
            value[name] = None if part is None else part.to_json()
        return json.dumps(value, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls.from_record(json.loads(text))

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """The job as run.json holds it."""
        value = dict(record)
        for name in ("train", "valid", "test"):
            value[name] = None if value[name] is None else Part.from_json(value[name])
        return cls(**value)
