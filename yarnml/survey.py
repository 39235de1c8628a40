"""A survey: an errand of a scan as a run of its own, whose workers do it near the data."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import final

from hdfs_io import join, remove, write_text
from hdfs_io.errand import Errand, Looked, together
from hdfs_io.hands import HANDS, each
from hdfs_io.spoken import many, sized
from hdfs_io.store import read_bytes
from hdfs_io.travel import brought, errand_text, unpack
from yarnml.comm.outcome import Outcome
from yarnml.errors import RunFailed, Stopped
from yarnml.job import Job
from yarnml.request import Running, Who
from yarnml.runs import RunDir, new_id

APP = "_survey"
PAYS = 4 << 30  # stored bytes to read from which on workers do it: as many as few threads read while workers start
STEP = 1 << 30  # stored bytes after which a worker brings what it has found,
MOST_STEPS = 64  # but for each no more files than that
LOPSIDED = 2  # times its share that one worker may have

Say = Callable[[str], None]
Start = Callable[[Job, Errand], Outcome]
"""Starts the job of an errand, and waits for its end."""


class Unsurveyed(Exception):
    """Here workers would be started to survey a data set, and none are to be: the message says what they would do."""


@final
@dataclass(frozen=True)
class ByWorkers:
    """A surveyor: has workers do an errand, if that pays; a run that needs the data asks for it."""

    who: Who
    running: Running  # as that run is to be
    runs: str  # URL of the directory of all runs
    threads: int  # of each worker
    start: Start
    say: Say
    dry: bool = False  # start nothing
    step: int = STEP

    def __call__(self, errand: Errand) -> list[Looked] | None:
        """None: threads of here had better do it. DataError for the data's first fault, RunFailed if the run failed."""
        if self.who == "here" or not errand.portions or (self.who == "auto" and errand.reads < PAYS):
            return None
        workers = min(self.running.workers, len(errand.portions))
        what = f"{many(len(errand.portions), 'part')}, {sized(errand.size)},"
        whom = many(workers, "worker")
        if self.dry:
            raise Unsurveyed(f"scan     {what} would be surveyed by {whom} first: rows and columns aren't known before")
        job = self._job(errand, workers)
        run, begun = RunDir.create(job), time.monotonic()
        self.say(f"scan     {what} to be surveyed by {whom}: {job.url}")
        for remark in _lopsided(errand, self.running.workers):
            self.say(f"scan     {remark}")
        write_text(job.config["errand"], errand_text(errand))
        outcome = self.start(job, errand)
        self._refuse(run, outcome)
        looked = self._brought(run, errand)
        rows = sum(survey.rows for _, survey in looked)
        self.say(f"scan     {many(rows, 'row')} surveyed by {whom} in {time.monotonic() - begun:.0f} s{_near(outcome)}")
        return looked

    def _job(self, errand: Errand, workers: int) -> Job:
        """No tables, no checkpoints: what a worker has brought needn't be found again."""
        run, asked = new_id("survey"), self.running
        config = {
            "errand": join(self.runs, f"{run}/found/errand.json"),
            "step": max(self.step, errand.size // workers // MOST_STEPS),
        }
        return Job(
            run=run, runs=self.runs, app=APP, config=config,
            workers=workers, servers=0, threads=self.threads, deadline=asked.deadline, silence=asked.silence,
            retries=asked.retries, secure=asked.secure, checkpoint_every=0.0,
        )  # fmt: skip

    def _brought(self, run: RunDir, errand: Errand) -> list[Looked]:
        """What all workers have found; then nothing of the run is needed any more."""
        folder = join(run.url, "found")
        urls = [join(folder, name) for name in brought(folder)]
        found = list(each(lambda url: unpack(read_bytes(url)), urls, HANDS))
        remove(run.url)
        return together(errand, found)

    def _refuse(self, run: RunDir, outcome: Outcome) -> None:
        if outcome.state == "interrupted":
            remove(run.url)
            raise KeyboardInterrupt  # nothing that the user knows was started
        if not outcome.ok:
            kind = RunFailed if outcome.state == "failed" else Stopped
            raise kind(f"the data could not be surveyed (run {run.id}): {outcome.message}")


def _lopsided(errand: Errand, workers: int) -> Iterator[str]:
    """A remark where the others will wait for one worker with a file that nobody can share."""
    largest = max(errand.portions, key=lambda portion: portion.size)
    if largest.uncut and largest.size * workers > LOPSIDED * errand.size:
        yield (
            f"{largest.piece.file}, {sized(largest.size)}, is surveyed by one worker alone, as only who has read all "
            "before a row knows whether a quote is open there; as several files it would go faster"
        )


def _near(outcome: Outcome) -> str:
    """How much was read on the node that holds it, where that is known."""
    read = (outcome.result or {}).get("read")
    return f", {read['local_bytes'] / read['bytes']:.0%} of it where it is" if read and read["bytes"] else ""
