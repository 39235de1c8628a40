"""Submitting: from a job to a running application, and from there to its end, as the client sees it."""

from __future__ import annotations

import math
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from textwrap import shorten
from typing import final

from hdfs_io import DataError, hadoop, join, open_fs, remove
from yarnml.comm.events import Stop
from yarnml.comm.outcome import Outcome
from yarnml.job import Job
from yarnml.launch import env
from yarnml.launch.fault import LAST_WORDS
from yarnml.launch.process import settings
from yarnml.launch.yarn import parcel
from yarnml.launch.yarn.application import Applications, Local, Submitted, Wish
from yarnml.launch.yarn.homes import Home
from yarnml.launch.yarn.manager import Application
from yarnml.launch.yarn.refuse import refuse_queue, refuse_size
from yarnml.launch.yarn.site import Site
from yarnml.launch.yarn.spec import Spec, services, variables
from yarnml.monitor.progress import Glance
from yarnml.monitor.terminal import View
from yarnml.record import Record
from yarnml.request import OnYarn
from yarnml.runs import RunDir

LOOK = 0.5  # seconds between two looks at the run
ASK = 2.0  # seconds between two questions to the ResourceManager
LEAVE = 60.0  # seconds in which an application whose run has ended must be gone
HEED = 15.0  # seconds in which a scheduler must heed the wish to end, beside those for a last checkpoint
SCHEDULERS = 3  # times that a scheduler that died is started anew
STAGING = 3.0  # seconds in which an ended application removes its files
LOGS = 60.0  # seconds for `yarn logs`
GATHER = 10.0  # seconds in which YARN gathers the logs of an ended application
FRAME = ("***", "===", "Log", "End of", "Container: ")  # what `yarn logs` puts around them

Say = Callable[[str], None]


def refuse(site: Site, wish: OnYarn, job_workers: int, job_servers: int) -> None:
    """What the cluster would never grant; UsageError before anything is sent."""
    asked = hadoop.settings().get("yarn.acl.enable") == "true"
    queue = refuse_queue(wish.queue, site.manager.queues(), hadoop.user() if asked else None)
    variables(wish)
    refuse_size(services(wish, job_workers, job_servers), site.manager.nodes(), queue, wish.node_label)


def submit(
    site: Site, applications: Applications, job: Job, wish: OnYarn, plan: env.Plan, homes: list[Home], say: Say
) -> Submitted:
    """Send what is missing, and submit. `homes`: for each worker, where its rows are."""
    shipment = plan.send(site.home, say)
    job = job if shipment.app is None else replace(job, app=shipment.app)
    roles = services(wish, job.workers, job.servers)
    spec = Spec(
        limits={service.role: service.size.mb for service in roles},
        start_timeout=wish.start_timeout,
        queue=wish.queue,
        homes=homes,
        managers=site.manager.addresses,
    )
    files = {"start": Local(parcel.send(job, spec), archive=True, keep=False)}
    for resource in shipment.resources:
        files[resource.name] = Local(resource.url, resource.archive, keep="://" in resource.url)
    return applications.submit(
        Wish(
            name=f"yarnml {job.run}", queue=wish.queue, services=roles,
            scripts={service.role: parcel.script(service.role, shipment) for service in roles},
            env={service.role: settings(service.size.vcores) | variables(wish) for service in roles},
            files=files, homes=[home.best for home in spec.homes],
            node_label=wish.node_label, tags=wish.tags, view_users=wish.view_users, modify_users=wish.modify_users,
            max_attempts=wish.max_attempts if job.retries else 1, restarts=restarts(job),
        )
    )  # fmt: skip


def restarts(job: Job) -> dict[str, int]:
    """How often Skein is to start another container of a role. How many deaths of a worker or server are too many is
    for the scheduler to say, whose own it can't count."""
    return {"scheduler": SCHEDULERS if job.retries else 0, "server": -1, "worker": -1}


@final
class Following:
    """A run on the cluster, followed to its end from here."""

    def __init__(self, site: Site, run: RunDir, application: Submitted, view: View, grace: float) -> None:
        """`grace`: seconds that the run has for a last checkpoint, if it is to end."""
        self._site, self._run, self._submitted, self._view, self._grace = site, run, application, view, grace
        self._name = application.name
        self._asked = 0.0
        self._begun = time.time()
        self._app: Application | None = None

    def outcome(self, wish: Callable[[], Stop | None]) -> Outcome:
        """Wait for the end of run and application. `wish` tells why the run is to end now, if it is."""
        told: Stop | None = None
        by = math.inf
        while not self._run.ended:
            stop = wish()
            if stop is not None and stop != told:
                told, by = stop, time.monotonic() + HEED + (0.0 if stop.at_once else self._grace)
                self._view.say(stop.told(self._grace))
                if self._run.asked_to_end() <= stop.at_once:
                    self._run.ask_to_end(stop.reason)
            app = self._application()
            if app is not None and app.ended and not self._run.ended:
                self._gone(app, stop)
            elif told is not None and (time.monotonic() > by or self._run.glance() is None):
                kill(self._site, self._name)
                self._await_application()
                if not self._run.ended:
                    self._run.end(stop.state if stop else "killed", message=stop.reason if stop else "killed")
            else:
                self._view.show(self._run.glance() or self._waiting(app))
                time.sleep(LOOK)
        record = self._run.record()
        self._await_application(record)
        clean(self._site, self._run, self._name)
        return Outcome(record.state, record.message, result=record.result or None)  # type: ignore[arg-type]

    def _application(self, *, fresh: bool = False) -> Application | None:
        if fresh or time.monotonic() - self._asked >= ASK:
            self._asked = time.monotonic()
            with suppress(DataError):
                self._app = self._site.manager.application(self._name)
        return self._app

    def _waiting(self, app: Application | None) -> Glance:
        said = "" if app is None or app.state == "RUNNING" else shorten(app.diagnostics, 200, placeholder=" ...")
        why = f" ({said})" if said else ""
        state = "submitted" if app is None else app.state.lower()
        now = time.time()
        return Glance(time=now, seconds=now - self._begun, waiting=f"{self._name} is {state}{why}")

    def _gone(self, app: Application, stop: Stop | None) -> None:
        """The application ended without a word from its scheduler."""
        if stop is not None or app.final == "KILLED":
            stop = stop or Stop("killed", "its application was ended through YARN")
            self._run.end(stop.state, message=stop.reason)
            return
        message = f"application {self._name} ended before its scheduler could say why: {app.diagnostics or app.final}"
        words = container_logs(self._name)
        self._run.end("failed", message="\n".join([message, *(f"  | {line}" for line in words)]))

    def _await_application(self, record: Record | None = None) -> None:
        """Wait for its end, and hasten it. A failure is told to each of its masters: YARN starts them all."""
        until, told = time.monotonic() + LEAVE, {""}
        while time.monotonic() < until:
            with suppress(DataError):
                app = self._site.manager.application(self._name)
                if app is None or app.ended:
                    return
                if record is not None and app.master not in told:
                    told.add(app.master)
                    ok = record.state == "succeeded"
                    if not self._submitted.release(app.master, ok=ok, message=record.message) and not ok:
                        break  # its master would start the scheduler again, to hear the same from it
            time.sleep(LOOK)
        kill(self._site, self._name)


def end(site: Site, run: RunDir, application: str, view: View) -> None:
    """End a run that was asked to, from any machine: by its scheduler if it heeds, else by YARN."""
    asked = Stop("killed", run.why_to_end(), at_once=run.asked_to_end() > 1)
    following = Following(site, run, Submitted(application), view, Job.from_record(run.record().job).respite)
    following.outcome(lambda: asked)


def kill(site: Site, application: str) -> None:
    """End an application, as YARN's owner of it may."""
    if not site.manager.kill(application):
        with Applications() as applications:
            applications.kill(application)


def clean(site: Site, run: RunDir, application: str = "") -> None:
    """Remove what only starting needed, Skein's directories too: a master that was killed leaves its own."""
    left = [join(run.url, "start"), join(run.url, "notes")]
    if application:
        left.append(join(site.home, f".skein/{application}"))
    for url in left:
        with suppress(DataError, OSError):
            remove(url)
    fs, path = open_fs(join(site.home, ".skein"))
    until = time.monotonic() + STAGING
    while time.monotonic() < until:
        try:
            fs.rmdir(path)
        except FileNotFoundError:
            return
        except DataError:  # this application's master removes its files last; or another one is at work
            time.sleep(LOOK)
        else:
            return


def container_logs(application: str) -> list[str]:
    """The last lines that the containers of an ended application left with YARN, which takes a while to have them."""
    until = time.monotonic() + GATHER
    lines = _logs(application)
    while not lines and time.monotonic() < until:
        time.sleep(LOOK)
        lines = _logs(application)
    return lines[-LAST_WORDS:]


def _logs(application: str) -> list[str]:
    try:
        done = subprocess.run(
            ["yarn", "logs", "-applicationId", application, "-log_files", "yarnml.log"],
            capture_output=True, text=True, timeout=LOGS, check=False, stdin=subprocess.DEVNULL, errors="replace",
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [line for line in done.stdout.splitlines() if line.strip() and not line.startswith(FRAME)]
