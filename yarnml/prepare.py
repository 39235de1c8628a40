"""Preparing: from what a user asks to a job, with every refusal that can be made before anything starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from hdfs_io import Surveyor, join, mend, nobody
from hdfs_io.whole import refuse_unwritable
from yarnml.app import App
from yarnml.app.budget import fits, largest
from yarnml.app.output import single_file
from yarnml.app.spans import url_of
from yarnml.app.splits import steals
from yarnml.capacity import cores, data_memory
from yarnml.config import config_to_dict, hints, refuse_reserved
from yarnml.errors import DataError, UsageError, nearest
from yarnml.job import Job, Part
from yarnml.kernels.compiling import told
from yarnml.launch.yarn.memory import spoken
from yarnml.out import refuse_place, refuse_replacing
from yarnml.parts import HELD_OUT, Parts, absolute, fraction
from yarnml.ps.client.limit import memory
from yarnml.request import RESERVED, Data, Reading, Running
from yarnml.resume import Earlier
from yarnml.runs import default_runs, new_id

Say = Callable[[str], None]
MOST = 64  # processes of a core


def prepare(
    app: App,
    options: Mapping[str, Any],
    *,
    here: bool = True,
    say: Say = lambda _: None,
    surveyor: Surveyor = nobody,
) -> Job:
    """The job that `options`, yarnml's own and the app's together, ask for; its data is scanned.

    `here`: whether a run of one worker reads its rows in this process; `say` is told how far reading has come;
    `surveyor`: who may look at the data's pieces elsewhere. One that raises Unsurveyed leaves the job without data.
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
    config = app.config(said(app.Config))
    parts: Callable[[], Mapping[str, Part | None]] = Parts(
        app, config, data, reading.options(), running, here, say, surveyor
    ).find
    if earlier is not None and not any(name in options for group in (Data, Reading) for name in hints(group)):
        parts = earlier.parts
    with told(say):
        job = _job(app, config, data, running, parts, here=here)
    if earlier is None:
        return job
    earlier.refuse(app, job)
    bandwidth = job.bandwidth if "bandwidth" in options else earlier.job.bandwidth
    say(earlier.told(app, asked))
    began = None if app.check_start is None else earlier.job.start_from  # in the state of its work
    return replace(
        job, resume=earlier.checkpoint, resume_clock=earlier.clock, bandwidth=bandwidth, start_from=began,
        splits=_splits(earlier.job, job),
    )  # fmt: skip


def _splits(was: Job, now: Job) -> str:
    """Where it is on record who reads which rows, if that is known of the run before."""
    return was.splits or url_of(was.url) if steals(now) and was.workers == now.workers else ""


def _merged(earlier: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """An earlier run's options with those said now; cores are shared out again among another number of workers."""
    if "workers" in options:
        earlier.pop("threads", None)
    return {**earlier, **options}


def _job(
    app: App,
    config: Any,
    data: Data,
    running: Running,
    parts: Callable[[], Mapping[str, Part | None]],
    *,
    here: bool,
) -> Job:
    runs = absolute(running.runs or default_runs())
    if here:
        _refuse_runs(runs)
        _refuse_processes(running)
    if running.steal and app.predict is None:
        raise UsageError(f"--steal: app {app.name} writes the rows in their order; leave it out")
    if running.out is not None:
        used = {"--data": data.data, "--model": getattr(config, "model", None), "--runs": runs}
        used |= {f"--{name}": fraction(name, getattr(data, name)) for name in HELD_OUT}
        _refuse_out(app, running, {name: absolute(url) for name, url in used.items() if isinstance(url, str)})
    found = parts()
    return Job(
        run=new_id(app.name),
        runs=runs,
        app=app.ref,
        config=config_to_dict(config),
        train=found["train"],
        valid=found["valid"],
        test=found["test"],
        out=None if running.out is None else absolute(running.out),
        overwrite=running.overwrite,
        workers=running.workers,
        servers=running.servers,
        threads=running.threads or max(1, cores() // running.workers),
        data_memory=data_memory(running),
        steal=running.steal and running.workers > 1,  # who is alone has nobody to take from
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
        grace=running.grace,
        starts=app.start is not None,
        start_from=None if running.start_from is None else absolute(running.start_from),
    )


def _refuse_runs(runs: str) -> None:
    """UsageError if no run's directory can be made there."""
    try:
        refuse_unwritable(join(runs, "run"))
    except DataError as error:  # which says it
        raise UsageError(f"--runs {error}") from None
    except OSError as error:
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
    out = absolute(running.out) if running.out.strip() else running.out
    refuse_place(out, used)
    single = app.predict is None and single_file(out) is not None
    if single and running.workers > 1:
        raise UsageError(f"--out {out}: {running.workers} workers write a file each; name a directory, or --workers 1")
    mend(out)
    refuse_replacing(out, overwrite=running.overwrite, files=single)
    refuse_unwritable(out)


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
