"""A submission: a run that is to go to a Hadoop cluster, checked, and started there."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import Any, Self, final

from hdfs_io import open_fs
from hdfs_io.store import is_local
from yarnml.app import App
from yarnml.comm.outcome import Outcome
from yarnml.config import config_from_dict, hints
from yarnml.errors import UsageError
from yarnml.job import Job
from yarnml.launch import Handle, env
from yarnml.launch.yarn import launcher
from yarnml.launch.yarn.application import Applications, Submitted
from yarnml.launch.yarn.homes import homes
from yarnml.launch.yarn.memory import megabytes
from yarnml.launch.yarn.site import Site, adopt
from yarnml.monitor.terminal import View
from yarnml.prepare import prepare, said_of_data
from yarnml.request import OnYarn, Running
from yarnml.runs import RunDir
from yarnml.sender import Sender
from yarnml.started import Run
from yarnml.survey import ByWorkers

LAST = 10.0  # seconds for a run that is to end at once
URLS = ("data", "test", "valid", "out", "runs", "start_from")  # options that containers have to reach


@final
class Submission:
    """What nothing speaks against, and nothing was started of. A context manager: Skein's JVM ends with it."""

    def __init__(self, job: Job, sender: Sender) -> None:
        """Use `prepare`."""
        self.job, self.wish = job, sender.wish
        self._sender = sender

    @classmethod
    def prepare(cls, app: App, options: Mapping[str, Any], view: View, *, dry: bool = False) -> Self:
        """Check all that can be: the cluster answers and could grant it, the data is there, the environment packs.

        Data that is large is surveyed by workers on the cluster, in an application of their own, unless this is a
        `dry` run: then the job is left without.
        Raises UsageError or DataError. Data, environment and Skein's JVM are looked at and started side by side.
        """
        wish = config_from_dict(OnYarn, {name: options[name] for name in hints(OnYarn) if name in options}, "submit")
        rest = {name: value for name, value in options.items() if name not in hints(OnYarn)}
        refuse_local(app, rest)
        note = adopt()
        if note:
            view.say(note)
        site = Site.find()
        launcher.refuse(site, wish, int(rest.get("workers", 1)), int(rest.get("servers", 1)))
        rest["threads"] = rest.get("threads") or wish.worker_vcores
        rest["data_memory"] = rest.get("data_memory") or f"{megabytes(wish.worker_memory, '--worker-memory') // 2}MiB"
        rest["runs"] = rest.get("runs") or site.runs
        asked = env.Wish(
            env=wish.env, py_files=wish.py_files, files=wish.files, requirements=wish.requirements,
            app=app.ref if app.private else None,
        )  # fmt: skip
        with ExitStack() as stack, ThreadPoolExecutor(1) as pool:
            applications = stack.enter_context(Applications())
            plan = pool.submit(env.plan, asked)
            sender = Sender(site, wish, applications, plan.result, view)
            job = prepare(app, rest, here=False, say=view.say, surveyor=_surveyor(sender, rest, dry))
            found = plan.result()
            stack.pop_all()
        for line in found.notes:
            view.say(line)
        return cls(job, sender)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._sender.applications.__exit__()

    def start(self) -> YarnRun:
        """Send what is missing, and submit."""
        job, view = self.job, self._sender.view
        for line in [*said_of_data(job), f"run      {job.url}"]:
            view.say(line)
        near, directory = homes(job), RunDir.create(job)
        submitted = self._sender.send(job, directory, near)
        view.say(f"submitted as {submitted.name} to queue {self.wish.queue}")
        return YarnRun(job, directory, self._sender, submitted)


def _surveyor(sender: Sender, options: Mapping[str, Any], dry: bool) -> ByWorkers:
    """Has workers of the run's number and size survey its data."""
    running = Running(**{name: options[name] for name in hints(Running) if name in options})
    return ByWorkers(
        who=sender.wish.scan, running=running, runs=str(options["runs"]), threads=int(options["threads"]),
        start=sender.survey, say=sender.view.say, dry=dry,
    )  # fmt: skip


@final
class YarnRun(Run):
    """A run on the cluster. Nothing here is needed for it to go on."""

    def __init__(self, job: Job, directory: RunDir, sender: Sender, application: Submitted) -> None:
        super().__init__(job, directory)
        self.application = application.name
        self._submitted, self._sender = application, sender
        self._handle: Handle | None = None

    def kill(self) -> None:
        self._follow().kill()

    def finish(self) -> Outcome:
        if self._outcome is None:
            self._outcome = self._wait(self._follow())
            glance = self._directory.glance()
            if glance is not None:
                self._sender.view.close(glance)
        return self._outcome

    def _wait(self, handle: Handle) -> Outcome:
        try:
            return handle.wait()
        except KeyboardInterrupt:  # the second one
            with suppress(KeyboardInterrupt):
                if (outcome := handle.wait(LAST)) is not None:
                    return outcome
            said = f"`yarnml status {self.id}` tells how it ends"
            return Outcome("interrupted", f"interrupted twice by Ctrl-C; its end was not waited for: {said}")

    def _follow(self) -> Handle:
        if self._handle is None:
            self._handle = self._sender.follow(self._directory, self._submitted)
        return self._handle


def refuse_local(app: App, options: Mapping[str, Any]) -> None:
    """UsageError for a place on this machine, which no container can reach."""
    if app.task is not None and options.get("data") is None and options.get("resume") is None:
        raise UsageError(
            "submit needs data that the cluster can reach: --data hdfs:///...; an app's demo runs here only"
        )
    urls = {key: options.get(key) for key in (*URLS, "model")}
    if "/" in str(options.get("resume")):  # else it is the id of a run of the cluster
        urls["resume"] = options["resume"]
    for name, value in urls.items():
        if isinstance(value, str) and not _is_fraction(value) and is_local(open_fs(value)[0]):
            flag = name.replace("_", "-")
            hint = "" if name in ("out", "runs", "resume") else "; copy it: yarnml data copy SRC hdfs:///..."
            raise UsageError(f"--{flag} {value}: is on this machine, where containers can't reach it{hint}")


def _is_fraction(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
