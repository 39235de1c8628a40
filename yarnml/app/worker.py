"""Worker: `me` in an app: one worker's share of the data, its tables, its clock, and what all workers do together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Dataset, Rows, Schema
from yarnml.app.app import App
from yarnml.app.finite import finite_numbers
from yarnml.app.held import Held
from yarnml.app.keeping import Keeping
from yarnml.app.kept import By, Part, restored
from yarnml.app.located import located
from yarnml.app.output import Output
from yarnml.app.passes import Passes
from yarnml.app.plan import Plan, shuffled, usual_batch, usual_epochs
from yarnml.app.portion import Portion
from yarnml.app.saved import bound
from yarnml.app.scores import score
from yarnml.app.share import Share
from yarnml.app.spilled import Order
from yarnml.app.start import BEGINNING, Loaded, Start
from yarnml.app.timed import timed
from yarnml.comm.company import ANEW, Company
from yarnml.comm.plain import plain_numbers
from yarnml.errors import UsageError
from yarnml.job import Job
from yarnml.job import Part as DataPart
from yarnml.kernels.crew import Crew
from yarnml.model import Artifacts, Model, load_model
from yarnml.task import Partial, Task

if TYPE_CHECKING:
    from yarnml.app.batch import Batch
    from yarnml.ps import Table, Tables

T = TypeVar("T")
WORK = 3  # the purpose of the random numbers that an app draws


@final
class Worker:
    """What an app's `start`, `work` and `model` are handed."""

    def __init__(
        self,
        app: App,
        job: Job,
        index: int,
        client: Tables,
        company: Company,
        start: Start = BEGINNING,
        loaded: Loaded | None = None,
    ) -> None:
        """`loaded`: what this process has loaded in an earlier generation."""
        self.app, self.job, self.index = app, job, index
        self.workers, self.threads, self.seed, self.staleness = job.workers, job.threads, job.seed, job.staleness
        self.began = start
        self._now = start.clock - (app.start is not None and start.clock > 0)
        self.at_work = self._looks = self._entering = False
        self.stop = False  # true for all workers at the same clock: `batches` ends
        self.out: Output | None = None  # where an app without a model writes its part
        self.notes: list[str] = []
        self.seconds: dict[str, float] = {}
        self.config = app.config(job.config)
        self._client, self._company = client, company
        self._loaded = loaded or Loaded()
        if self._loaded.share is not None:
            self._loaded.share.renew()
        self._keeping = Keeping(company)
        self._portion = Portion(job, index)
        self.passes = Passes()
        self._rows_done: float | None = None  # not known of work that doesn't say so
        self._told = -1  # the clock whose totals are reported

    @cached_property
    def crew(self) -> Crew:
        """This worker's threads."""
        return Crew(self.threads)

    # --- data

    @property
    def dataset(self) -> Dataset:
        """The data set that is trained on."""
        return self._portion.train.dataset

    @property
    def schema(self) -> Schema:
        return self.dataset.schema

    @cached_property
    def given(self) -> Model | None:
        """The model of --start-from, of an app that begins with it by itself, as its `check_start` says."""
        if self.job.start_from is None or self.app.check_start is None:
            return None
        return load_model(self.job.start_from)[0]

    @property
    def rows(self) -> int:
        """Training rows of all workers."""
        return 0 if self.job.train is None else self.job.train.rows

    @property
    def share(self) -> Share:
        """This worker's training rows, possibly none, in memory or beyond it."""
        if self._loaded.share is None:
            if self._portion.open:
                with self.timed("load"):
                    self._loaded.share = self._portion.take(lambda own: self._company.claim(own=own), self.gather)
            else:
                order = partial(shuffled, self.seed, self._portion.first_row)
                self._loaded.share = self.share_of(self._portion.train, order)
            if self.job.steal:
                self.note(self._portion.told())
        return self._loaded.share

    @property
    def data(self) -> Rows:
        """The same at once, for apps that can't do with less: in the data set's order, until `batches` shuffles them.

        Raises UsageError if they are more than memory may hold.
        """
        if isinstance(self.share, Held):
            return self.share.rows
        raise self._portion.too_large()

    def share_of(self, part: DataPart, order: Order | None = None) -> Share:
        """This worker's rows of a part; `order`: that of their batches, if there will be any."""
        with self.timed("load"):
            return self._portion.share(part, order)

    def batches(self, batch: int | None, epochs: int | None, patience: int = 3) -> Iterator[Batch]:
        """The batches of `epochs` passes, one a clock; call it once, and `clock()` for each.

        `batch`: rows a clock, over all workers (None: about 100 clocks a pass); `epochs`: None for 20, or, on small
        data, as many as make 2,000 clocks. It goes on at `clock_now`, and ends when `stop` is set. With --valid, every
        pass ends with a score on those rows, for which workers wait for each other; after `patience` passes without
        gain training stops, and the best pass's model is what is saved. Of data beyond memory a batch has no more rows
        than can be read at once.
        """
        self._looks = True
        rows = self._bounded(batch or usual_batch(self.rows))
        plan = Plan(self.rows, len(self.share), rows, self.seed, self._portion.first_row)
        self._keeping.shuffle(plan.shuffle if plan.steps > 1 else None)
        end = plan.steps * (epochs or usual_epochs(self.rows, plan.steps))
        self.passes.begin(plan.steps, self._now, end, patience, resumed=self._resumed)
        with closing(self.share.batches(plan, self._now, end)) as batches:
            while True:
                epoch, step = divmod(self._now, plan.steps)
                if step == 0 and epoch > 0:
                    self._validate()
                if self._now >= end or self.stop:
                    return
                self.passes.epoch, now = epoch, self._now
                piece = next(batches)
                yield piece
                assert self._now == now + 1, "an app ends each batch with exactly one me.clock()"
                self.went_over(len(piece))

    def went_over(self, rows: float) -> None:
        """Work that takes no batches has used so many of its rows once; where each was used for a part, so many parts.

        It is for whoever watches the run, who else is told nothing of rows.
        """
        self._rows_done = rows + (self._rows_done or 0)

    def validate(self, epoch: int, patience: int) -> None:
        """End pass `epoch`, from 0, of work that takes no batches: with --valid the app's model is scored as it is now.

        The best is what is saved; after `patience` passes without a gain `stop` is set. All workers call it.
        """
        self.passes.over(epoch, patience)
        self._validate()

    # --- tables and clocks

    @property
    def clock_now(self) -> int:
        """Clocks that this worker has ended. Work that doesn't look at it can't be gone on with in its middle."""
        self._looks = True
        return self._now

    def table(self, name: str) -> Table:
        return self._client.table(name)

    def clock(self) -> None:
        """End this clock: its increments leave. Raises Stopped or PeerLost if the run can't go on."""
        if self._entering:
            self._entering = False
            self._refuse_middle()
        self._client.clock()
        self._company.check()
        self._now += 1
        mark = self._company.mark
        if mark is not None and mark[0] == self._client.clock_now:
            self._keeping.write(*mark, self._part(), self._client.copied())
            if self._company.ending:
                self._keeping.await_written()

    # --- all workers together

    def sum(self, x: Any) -> NDArray[Any]:
        """The sum of every worker's x, the same for all, to the bit."""
        self._meet()
        return self._company.sum(np.asarray(x))

    def gather(self, x: Any) -> list[NDArray[Any]]:
        """Every worker's x, in the workers' order."""
        self._meet()
        return self._company.gather(np.asarray(x))

    def measure(self, model: Model, part: DataPart, share: Share, *, enough: bool = False) -> dict[str, float]:
        """The metrics of `model`, of this app, on a part of the data, of which this is the worker's share.

        `enough`: where the task says that fewer rows are, about so many are scored, evenly spread, and a note says so.
        """
        task = self.app.task
        assert task is not None
        every = 1
        if enough and task.enough is not None:
            rows = int(self.sum(len(share)))
            every = max(1, rows // task.enough)
            if every > 1:
                self.note(f"scores on training rows are of one in {every:,} of {rows:,}")
        some = (rows if every == 1 else rows.take(rows.number % every == 0) for rows in share.chunks())
        return self.total(task, task.fold(self._score(model, part, rows) for rows in some))

    def _score(self, model: Model, part: DataPart, rows: Rows) -> Partial:
        with located(part.dataset, rows.number):
            return score(self.app, model, rows, self.crew)

    def total(self, task: Task, partial: Partial) -> dict[str, float]:
        """The metrics that every worker's partial together make."""
        each = {name: self.gather(partial[name]) for name in sorted(partial)}
        partials = [{name: arrays[worker] for name, arrays in each.items()} for worker in range(self.workers)]
        return task.metrics(task.merge(partials))

    # --- what this worker keeps, says and draws

    @property
    def rng(self) -> np.random.Generator:
        """Random numbers of this worker in this clock: a new generator with the same numbers each time it is asked."""
        key = [self.seed % 2**64, WORK]
        return np.random.Generator(np.random.Philox(key=key, counter=[0, 0, self.index, self._now]))

    def state(self, name: str, init: Callable[[], NDArray[Any]] | NDArray[Any], by: By = "worker") -> NDArray[Any]:
        """An array of this worker that lives over clocks and is part of every checkpoint; change it in place.

        It begins as a copy of the array `init`, or as what the function `init` returns, called only where it begins.
        `by`: "rows" if its first axis goes by the rows of `data`, in whatever order these are, "all" if it is the same
        on all workers: then a run can be resumed with another number of workers.
        """
        return self._keeping.array(name, init, by)

    def report(self, **numbers: float) -> None:
        """Numbers of this clock for whoever watches the run: loss=..., moved=... .

        Raises RunFailed if one is nan or inf: nothing that is learned from then on would be of use. Raises UsageError
        for what is no number.
        """
        numbers = plain_numbers(numbers)
        finite_numbers(numbers, f"at clock {self._now}", self.app, self.config)
        totals = {} if self._told == self._now else self._totals()  # once a clock, however often it is reported
        self._told = self._now
        self._company.report({"clock": self._now, "epoch": self.passes.epoch, **totals, **numbers})

    def note(self, text: str) -> None:
        """A remark that the user should read, kept with the model. Every worker says the same; it is shown once."""
        if text not in self.notes:
            self.notes.append(text)

    def timed(self, name: str) -> AbstractContextManager[None]:
        """A context whose seconds are added to the run's under `name`."""
        return timed(self.seconds, name)

    # --- for the frame around the app

    def restore(self) -> None:
        """Take up what was kept of this worker at the clock where it begins."""
        if not self.began.checkpoint:
            return
        part = restored(self.began.checkpoint, self.index, self.workers, *self._portion.counted())
        self._keeping.restore(part)
        self.passes.restore(part.frame, self.model(part.best) if part.best else None)
        self.notes = list(part.frame["notes"])

    def keeps(self) -> None:
        """No other process can go on in the place of this one."""
        self._company.keeps()

    def leave(self) -> None:
        """Wait for what is being written of this worker."""
        self._keeping.wait()

    def enter(self) -> None:
        """Work begins, or goes on at `clock_now`."""
        self.at_work = self._entering = True
        self._looks = False

    def begin(self) -> None:
        """End what `start` did: a clock of its own, which isn't counted, so that work begins at clock 0."""
        self._client.clock()

    def settle(self) -> None:
        """Work has returned: nobody waits for this worker's clocks any more, and it waits for the work of all.

        From then on reads see all that anybody added, whatever the staleness.
        """
        self._client.end()
        self.gather(np.zeros(0))

    def finish(self) -> None:
        """Nothing will be read any more."""
        self._client.finish()

    def model(self, arrays: Mapping[str, NDArray[Any]]) -> Model:
        """A model of these arrays, ready to predict."""
        app = self.app
        assert app.task is not None
        made = Model(
            app=app.name, task=app.task.name, schema=self.schema, config=dict(self.job.config), arrays=dict(arrays),
            version=app.version, code=app.code, private=app.private, home=app.ref if app.private else "",
        )  # fmt: skip
        return bound(made, app)

    def learned(self) -> Model:
        """What the tables say now, as the app's model."""
        if self.app.model is not None:
            return self.model(self.app.model(self, self.config))
        specs = self.app.specs(self.config, self.schema)
        arrays: Artifacts = {spec.name: np.array(self.table(spec.name).get()) for spec in specs}
        return self.model(arrays)

    def _refuse_middle(self) -> None:
        """In the first clock of work: one that hasn't looked where it stands does all clocks, wherever it begins."""
        if self._looks:
            return
        self._company.anew()
        if self._now:
            raise UsageError(
                f"app {self.app.name}: {ANEW}: it was to go on at clock {self._now}; loop over range(me.clock_now, n), "
                "or start the run anew"
            )

    def refuse_idle(self) -> None:
        """Raise UsageError if work was to go on from another run's checkpoint, and has found nothing to do."""
        if self._resumed and self._entering and self.passes.steps is None and self._now:
            raise UsageError(
                f"the checkpoint is at clock {self._now:,}, and app {self.app.name} has no clock to do from there: "
                "ask for more, or start anew"
            )

    @property
    def _resumed(self) -> bool:
        """Whether it begins where another run was."""
        return self.began.checkpoint != "" and self.began.checkpoint == self.job.resume

    def _meet(self) -> None:
        """Before all workers meet: one that comes later, in the place of another, would miss a meeting within work."""
        if self.at_work:
            self._company.keeps()
        self._client.flush()  # another worker may wait for what a broken connection lost, and not come here before

    def _part(self) -> Part:
        """What is kept of this worker, for a checkpoint."""
        best = self.passes.best
        arrays = best.arrays if best is not None and self.index == 0 else {}
        frame = self.passes.to_json(self._now) | {"notes": self.notes}
        rows = 0 if self.job.train is None or not self._keeping.by_rows else len(self.share)
        return Part(self.index, self.workers, rows, frame=frame, best=arrays)

    def _totals(self) -> dict[str, float]:
        """What this worker has done since its start; more where there is a network between it and its tables."""
        totals: dict[str, float] = {} if self._rows_done is None else {"rows": self._rows_done}
        sent, received = self._client.sent_bytes, self._client.received_bytes
        if sent + received:
            totals |= {"bytes_out": sent, "bytes_in": received, "staleness": self._client.staleness_seen}
        return totals

    def _bounded(self, batch: int) -> int:
        """Rows of a batch, no more than memory takes where the rows are on disk."""
        most = self._portion.most_rows(self.share)
        if most is None or batch <= most:
            return batch
        self.note(f"batches of {most:,} rows, not of {batch:,}: more don't fit in --data-memory")
        return most

    def _validate(self) -> None:
        """A pass has ended: with --valid the model is scored as it is now."""
        valid, task = self.job.valid, self.app.task
        if valid is None:
            return
        assert task is not None
        model = self.learned()
        metrics = self.measure(model, valid, self._valid)
        if why := self.passes.scored(model, metrics, task.watch):
            self.stop = True
            self.note(why)
        self.report(**{f"valid_{name}": value for name, value in metrics.items()})

    @cached_property
    def _valid(self) -> Share:
        assert self.job.valid is not None
        return self.share_of(self.job.valid)
