"""Preparing: from what a user asks to a job, with every refusal that can be made before anything starts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, final

from hdfs_io import Dataset, ReadOptions, Sample, join, mend, scan
from hdfs_io.whole import refuse_unwritable
from yarnml.app import App
from yarnml.app.budget import fits, largest
from yarnml.app.output import single_file
from yarnml.capacity import refuse_tables
from yarnml.cluster.size import machine_memory
from yarnml.config import config_to_dict, hints, refuse_reserved
from yarnml.errors import DataError, UsageError, nearest
from yarnml.job import Job, Part
from yarnml.launch.yarn.memory import megabytes, spoken
from yarnml.model import load_model
from yarnml.monitor.pace import paced
from yarnml.out import refuse_place, refuse_replacing
from yarnml.ps.client.limit import memory
from yarnml.request import RESERVED, Data, Reading, Running
from yarnml.resume import Earlier
from yarnml.runs import default_runs, new_id

Say = Callable[[str], None]
MOST = 64  # processes of a core
HELD_OUT = ("test", "valid")  # in this order fractions are taken off the training data


def prepare(app: App, options: Mapping[str, Any], *, here: bool = True, say: Say = lambda _: None) -> Job:
    """The job that `options`, yarnml's own and the app's together, ask for; its data is scanned.

    `here`: whether a run of one worker reads its rows in this process; `say` is told how far reading has come.
    Raises UsageError or DataError; then, as otherwise, nothing was started or written.
    """
    refuse_reserved(app.name, app.Config, RESERVED)
    known = {name for group in (Data, Reading, Running, app.Config) for name in hints(group)}
    for name in options:
        if name not in known:
            raise UsageError(f"app {app.name}: unknown option {name!r}{nearest(name, known)}")

    asked, resumed = options, options.get("resume")
    if resumed is not None and options.get("start_from") is not None:
        raise UsageError("--resume and --start-from: a run that goes on has its tables; say one of the two")
    earlier = None if resumed is None else Earlier.find(resumed, options.get("runs"), app, say)
    if earlier is not None:
        options = _merged(earlier.options, options)

    def said(group: type) -> dict[str, Any]:
        return {name: options[name] for name in hints(group) if name in options}

    data, reading, running = Data(**said(Data)), Reading(**said(Reading)), Running(**said(Running))
    anew = earlier is None or any(name in options for group in (Data, Reading) for name in hints(group))
    job = _job(app, app.config(said(app.Config)), data, reading, running, here, None if anew else earlier, say)
    if earlier is None:
        return job
    earlier.refuse(job)
    bandwidth = job.bandwidth if "bandwidth" in options else earlier.job.bandwidth
    say(earlier.told(app, asked))
    return replace(job, resume=earlier.checkpoint, resume_clock=earlier.clock, bandwidth=bandwidth)


def _merged(earlier: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """An earlier run's options with those said now; cores are shared out again among another number of workers."""
    if "workers" in options:
        earlier.pop("threads", None)
    return {**earlier, **options}


def _job(
    app: App, config: Any, data: Data, reading: Reading, running: Running, here: bool, earlier: Earlier | None, say: Say
) -> Job:
    runs = _absolute(running.runs or default_runs())
    if here:
        _refuse_runs(runs)
        _refuse_processes(running)
    if running.out is not None:
        used = {"--data": data.data, "--model": getattr(config, "model", None), "--runs": runs}
        used |= {f"--{name}": _fraction(name, getattr(data, name)) for name in HELD_OUT}
        _refuse_out(app, running, {name: _absolute(url) for name, url in used.items() if isinstance(url, str)})
    parts: dict[str, Any]
    if earlier is not None:
        old = earlier.job
        parts = {"train": old.train, "valid": old.valid, "test": old.test}
    else:
        parts = _Parts(app, config, data, reading.options(), running, here, say).find()
    if running.start_from is not None:
        _refuse_start(app, config, parts["train"], running.start_from)
    return Job(
        run=new_id(app.name),
        runs=runs,
        app=app.ref,
        config=config_to_dict(config),
        **parts,
        out=None if running.out is None else _absolute(running.out),
        overwrite=running.overwrite,
        workers=running.workers,
        servers=running.servers,
        threads=running.threads or max(1, cores() // running.workers),
        data_memory=data_memory(running),
        staleness=running.staleness,
        seed=running.seed,
        cache=running.cache,
        bandwidth=None if running.bandwidth is None else memory(running.bandwidth, "--bandwidth"),
        order=running.order,
        deadline=running.deadline,
        silence=running.silence,
        retries=running.retries,
        secure=running.secure,
        checkpoint_every=running.checkpoint_every,
        starts=app.start is not None,
        start_from=None if running.start_from is None else _absolute(running.start_from),
    )


def data_memory(running: Running) -> int:
    """Bytes that the rows of a worker may take: as said, else half of what it has of this machine."""
    if running.data_memory is not None:
        return megabytes(running.data_memory, "--data-memory") << 20
    return machine_memory() // 2 // running.workers


def _refuse_runs(runs: str) -> None:
    """UsageError if no run's directory can be made there."""
    try:
        refuse_unwritable(join(runs, "run"))
    except (OSError, DataError) as error:
        raise UsageError(f"--runs {runs}: can't be written: {error}") from None


def _refuse_processes(running: Running) -> None:
    """UsageError for more of them than this machine could ever serve."""
    asked, most = running.workers + running.servers, MOST * cores()
    if asked > most:
        raise UsageError(
            f"--workers {running.workers} --servers {running.servers}: {asked:,} processes on {cores()} cores: "
            f"{MOST} for each, {most:,} in all, is the most"
        )


def _refuse_out(app: App, running: Running, used: Mapping[str, str]) -> None:
    """What may not be the place of a result; a file may be one only of an app that writes a data set."""
    assert running.out is not None
    out = _absolute(running.out) if running.out.strip() else running.out
    refuse_place(out, used)
    single = app.predict is None and single_file(out) is not None
    if single and running.workers > 1:
        raise UsageError(f"--out {out}: {running.workers} workers write a file each; name a directory, or --workers 1")
    mend(out)
    refuse_replacing(out, overwrite=running.overwrite, files=single)
    refuse_unwritable(out)


def _refuse_start(app: App, config: Any, train: Part | None, url: str) -> None:
    """UsageError if the tables can't begin with what the model at `url` holds."""
    arrays = load_model(_absolute(url))[0].arrays
    specs = [] if train is None else app.specs(config, train.dataset.schema)
    for spec in specs:
        if spec.name in arrays and arrays[spec.name].shape != spec.shape:
            shapes = f"{arrays[spec.name].shape} there and {spec.shape} here"
            raise UsageError(
                f"--start-from {url}: {spec.name!r} has the shape {shapes}; start from a model of such data"
            )
    if not any(spec.name in arrays for spec in specs):
        tables = ", ".join(spec.name for spec in specs) or "none"
        raise UsageError(
            f"--start-from {url}: holds {', '.join(arrays)}, and the tables of {app.name} are {tables}: nothing would "
            "begin with it"
        )


def refuse_featureless(data: Dataset) -> None:
    """UsageError if the rows have neither features nor columns of another use, such as users and items."""
    roles = data.options.roles.said()
    if data.schema.width or roles.keys() & {"user", "item", "rating", "text"}:
        return
    words = [name for name, kind in data.types if "string" in kind and name not in map(str, roles.values())]
    hint = f"; {words[0]!r} holds words: --features {words[0]}" if words else ""
    raise UsageError(f"{data.url}: no {'column' if data.types else 'feature'} is left to learn from{hint}")


def said_of_data(job: Job) -> list[str]:
    """Lines that tell a user what is read, how, and what was guessed about it."""
    lines = []
    for name in ("train", "valid", "test"):
        part: Part | None = getattr(job, name)
        if part is None:
            continue
        held_out = part.rows != part.dataset.rows
        if held_out and name != "train":
            lines.append(f"{name:<8} {part.rows:,} rows held out of it")
            continue
        first, *rest = part.dataset.describe()
        taken = f"{part.rows:,} rows of " if held_out else ""
        title = "data" if name == "train" else name
        lines += [f"{title:<8} {taken}{first}", *(f"         {line.strip()}" for line in rest)]
    if job.train is not None and not fits(job.train, job.workers, job.data_memory):
        size = spoken(largest(job.train.dataset, job.workers) / (1 << 20))
        lines.append(f"memory   a worker's rows take {size}, beyond --data-memory: kept on disk")
    return lines


def cores() -> int:
    """Cores that this process may use: of its container, not of the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def _absolute(url: str) -> str:
    """A local path as every process and a later reader of run.json understands it."""
    return url if "://" in url else os.path.abspath(os.path.expanduser(url))


@final
@dataclass(frozen=True)
class _Parts:
    """The data of a job: what is trained on, and what is held out of it or read beside it."""

    app: App
    config: Any
    data: Data
    options: ReadOptions
    running: Running
    here: bool
    say: Say

    def find(self) -> dict[str, Part | None]:
        """`train`, `valid` and `test`."""
        url, options, held_out = self._named()
        if url is None:
            if self.app.task is None and self.app.schema is None:  # it reads no rows
                return dict.fromkeys(("train", *HELD_OUT))
            raise UsageError(f"app {self.app.name} has no demo data; name yours with --data")
        whole = self._scan(url, options)
        parts: dict[str, Part | None] = dict.fromkeys(HELD_OUT)
        at = 0.0
        for name, said in held_out.items():
            if isinstance(said, float):
                parts[name] = self._part(whole, Sample(self.running.seed, at, at + said))
                at += said
            elif said is not None:
                parts[name] = self._beside(name, said, whole)
        if at >= 1:
            raise UsageError(f"--test and --valid together hold out {at:g} of the data: nothing is left to train on")
        parts["train"] = train = self._part(whole, Sample(self.running.seed, at, 1.0) if at else Sample.all())
        if not train.rows:
            raise UsageError(f"{url}: no rows to train on")
        self._refuse_empty(parts, held_out)
        if self.app.task is not None and self.app.task.label != "rating":
            refuse_featureless(whole)
        self.app.refuse(self.config, whole, train.rows)
        specs = self.app.specs(self.config, whole.schema)  # refuses shapes by name
        if self.here:
            refuse_tables(specs, whole.schema.width)
        return parts

    def _refuse_empty(self, parts: Mapping[str, Part | None], held_out: Mapping[str, str | float | None]) -> None:
        for name in HELD_OUT:
            if (part := parts[name]) is not None and not part.rows:
                raise UsageError(f"--{name} {held_out[name]}: holds no rows, so there is nothing to score")

    def _named(self) -> tuple[str | None, ReadOptions, dict[str, str | float | None]]:
        """What is read, how, and what is held out: as said, or the app's demo."""
        held_out = {name: _fraction(name, getattr(self.data, name)) for name in HELD_OUT}
        if self.data.data is not None or self.app.demo is None:
            return self.data.data, self.options, held_out
        demo = self.app.demo
        return demo.url(), demo.options, held_out | ({"test": demo.test} if held_out["test"] is None else {})

    def _scan(self, url: str, options: ReadOptions) -> Dataset:
        schema = None if self.app.schema is None else self.app.schema(self.config)
        # an app that says how its data is read, as predict does of a model, takes labels along where there are any
        label = "any" if schema is not None else None if self.app.task is None else self.app.task.label
        return scan(
            url, options, label=label, schema=schema, keep=self._keep, threads=cores(), progress=self._progress(url)
        )

    def _beside(self, name: str, url: str, whole: Dataset) -> Part:
        """A data set of its own, read as the training data is."""
        said, rejects = self.options, self.options.rejects
        options = replace(
            whole.options,
            format=said.format,
            header=said.header,
            sep=said.sep,
            quote=said.quote,
            rejects=None if rejects is None else f"{rejects}.{name}",
        )
        label = None if self.app.task is None else self.app.task.label
        found = scan(
            url,
            options,
            label=label,
            schema=whole.schema,
            keep=self._keep,
            threads=cores(),
            progress=self._progress(url),
        )
        if whole.schema.label is not None and not found.has_label:
            raise DataError(f"--{name} {url}: has no label {whole.schema.label.name!r}, so nothing can be scored on it")
        return self._part(found, Sample.all())

    def _progress(self, url: str) -> Callable[[int, int], None]:
        """Says from time to time how much of a data set has been read."""
        return paced(lambda text: self.say(f"reading  {text} of {url}"), "{:,} of {:,} parts")

    @property
    def _keep(self) -> int:
        """Bytes of what the scan parses that are worth keeping: any if this process will read the rows again."""
        inline = self.here and self.running.workers == 1 and self.running.servers == 1
        return data_memory(self.running) // 2 if inline else 0

    def _part(self, dataset: Dataset, sample: Sample) -> Part:
        return Part(dataset=dataset, sample=sample, rows=sample.count(dataset.rows))


def _fraction(name: str, said: str | float | None) -> str | float | None:
    """A data set's URL as it is, a fraction as a number; UsageError for a number that is no fraction."""
    if isinstance(said, str):
        try:
            number = float(said)
        except ValueError:
            return said
        raise UsageError(f"--{name} {number:g}: a fraction lies between 0 and 1 (a file of that name: ./{said})")
    return said
