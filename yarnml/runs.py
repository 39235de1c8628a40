"""A run's directory: what it was asked to do, how it stands, its metrics, logs and model, on any store."""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self, final

from hdfs_io import exists, join, open_fs, read_text, write_text
from yarnml.errors import DataError, UsageError, nearest
from yarnml.job import Job
from yarnml.monitor.metric import Metric
from yarnml.monitor.progress import Glance
from yarnml.record import Record, State, versions

BEAT = 1.0  # seconds between two signs of life of a driver
SLACK = 5.0  # seconds by which clocks may have been set since
BEGAN = 18  # proc(5): after its state, when a process began, in ticks since the machine did
LOST = 20.0  # seconds without one after which nobody is believed to be there


@final
class RunDir:
    """One run's directory. Readers may be on other machines; there is one writer, the driver."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    @property
    def id(self) -> str:
        return self.url.rpartition("/")[2]

    @property
    def logs(self) -> str:
        return join(self.url, "logs")

    @property
    def model(self) -> str:
        return join(self.url, "model")

    @classmethod
    def create(cls, job: Job) -> Self:
        """Write the first run.json of a run that starts now, driven by this process."""
        run = cls(job.url)
        record = Record(
            run=job.run,
            app=job.app,
            state="running",
            started=time.time(),
            host=socket.gethostname(),
            pid=os.getpid(),
            job=json.loads(job.to_json()),
            versions=versions(),
        )
        try:
            write_text(join(run.url, "run.json"), record.to_json())
        except OSError as error:
            raise UsageError(f"--runs {job.runs}: can't be written: {error}") from None
        return run

    def record(self) -> Record:
        """run.json, its state `lost` if the driver is gone without having ended the run. Raises DataError."""
        record = self._written()
        return replace(record, state="lost") if record.state == "running" and self._gone(record) else record

    @property
    def ended(self) -> bool:
        """Whether its end is written down."""
        return self._written().state != "running"

    def end(self, state: State, *, result: dict[str, Any] | None = None, message: str = "") -> Record:
        """Write the last run.json."""
        record = self._written()
        record = replace(record, state=state, ended=time.time(), result=result or {}, message=message)
        write_text(join(self.url, "run.json"), record.to_json())
        return record

    def submitted(self, application: str) -> None:
        """Write down what YARN calls it."""
        record = self._written()
        write_text(join(self.url, "run.json"), replace(record, application=application).to_json())

    def beat(self, glance: Glance) -> None:
        """Say how the run stands, and by saying it that the driver lives."""
        write_text(join(self.url, "status.json"), json.dumps(glance.to_json()))

    def glance(self) -> Glance | None:
        """What the driver said last."""
        with suppress(DataError):
            return Glance.from_json(json.loads(read_text(join(self.url, "status.json"))))
        return None

    def ask_to_end(self, why: str = "") -> None:
        """Ask the driver, wherever it runs, to end the run; who asks again wants it at once."""
        said = why or f"killed by its user (pid {os.getpid()} on {socket.gethostname()})"
        write_text(join(self.url, "kill"), "\n".join([*self._asked(), said.replace("\n", " ")]))

    def why_to_end(self) -> str:
        """What was said when it was first asked for. Raises DataError if it never was."""
        return read_text(join(self.url, "kill")).partition("\n")[0]

    def asked_to_end(self) -> int:
        """How often."""
        return len(self._asked())

    def _asked(self) -> list[str]:
        url = join(self.url, "kill")
        return read_text(url).split("\n") if exists(url) else []

    def append(self, metrics: Iterable[Metric], *, fresh: bool = False) -> None:
        """Add to the metrics; `fresh`: on a line of its own, since the last one may be torn."""
        _append(join(self.url, "metrics.jsonl"), "\n" * fresh + "".join(metric.line() + "\n" for metric in metrics))

    def cut(self, clock: int) -> None:
        """Drop the metrics of `clock` and later ones: the run has gone back."""
        url = join(self.url, "metrics.jsonl")
        if exists(url):
            kept = [metric.line() + "\n" for metric in self.reported() if metric.clock is None or metric.clock < clock]
            write_text(url, "".join(kept))

    def log(self, text: str) -> None:
        """Add whole lines to the driver's own log."""
        _append(join(self.logs, "driver.log"), text)

    def take_over_log(self) -> None:
        """From a driver that died, perhaps while it wrote: HDFS would let nobody else append for a minute."""
        url = join(self.logs, "driver.log")
        if exists(url):
            write_text(url, read_text(url))

    def reported(self) -> list[Metric]:
        """All metrics, as they came. A torn line is left out."""
        url = join(self.url, "metrics.jsonl")
        found = []
        for line in read_text(url).split("\n")[:-1] if exists(url) else []:
            with suppress(ValueError, KeyError, TypeError):
                found.append(Metric.from_line(line))
        return found

    def metrics(self) -> Any:
        """All metrics as an Arrow table: time, worker, clock, epoch, name, value."""
        import pyarrow as pa

        schema = pa.schema(
            [
                ("time", pa.float64()),
                ("worker", pa.int32()),
                ("clock", pa.int64()),
                ("epoch", pa.float64()),
                ("name", pa.string()),
                ("value", pa.float64()),
            ]
        )
        return pa.Table.from_pylist([asdict(metric) for metric in self.reported()], schema=schema)

    def log_files(self) -> dict[str, str]:
        """Name -> URL of every log, sorted."""
        fs, path = open_fs(self.logs)
        if not fs.isdir(path):
            return {}
        names = sorted(str(entry).rstrip("/").rpartition("/")[2] for entry in fs.ls(path, detail=False))
        return {name.removesuffix(".log"): join(self.logs, name) for name in names if not name.startswith(".")}

    def _written(self) -> Record:
        url = join(self.url, "run.json")
        try:
            return Record.from_json(read_text(url))
        except ValueError as error:
            raise DataError(f"{url}: is broken: {error}; remove the run's directory, or mend the file") from error

    def _gone(self, record: Record) -> bool:
        if record.application:  # as long as it waits for its containers, only YARN knows
            glance = self.glance()
            return glance is not None and time.time() - glance.time > LOST
        if record.host == socket.gethostname():  # it may be stopped, or its disk be slow, for however long
            return not _alive(record.pid, record.started)
        glance = self.glance()
        return time.time() - (record.started if glance is None else glance.time) > LOST


def new_id(app: str) -> str:
    """`mlr-1129-171336-3fa2`: which app, when, and a few random letters."""
    name = app.rstrip("/").rpartition("/")[2]
    return f"{name}-{time.strftime('%m%d-%H%M%S')}-{secrets.token_hex(2)}"


def default_runs() -> str:
    """Where runs are kept unless said otherwise."""
    return str(Path.home() / ".yarnml" / "runs")


def all_runs(runs: str) -> list[RunDir]:
    """Every run in a directory of runs, oldest first."""
    fs, path = open_fs(runs)
    if not fs.isdir(path):
        return []
    names = [str(entry).rstrip("/").rpartition("/")[2] for entry in fs.ls(path, detail=False)]
    found = [RunDir(join(runs, name)) for name in names if fs.exists(f"{path.rstrip('/')}/{name}/run.json")]
    return sorted(found, key=began)


def began(run: RunDir) -> float:
    """When it began, in seconds since 1970; 0 where that can't be read."""
    with suppress(DataError):
        return run.record().started
    return 0.0


def find_run(runs: str, name: str) -> RunDir:
    """The run of that id, of which the first letters do if no other begins with them; or that URL."""
    if not name.strip("/. "):
        raise UsageError(f"run {name!r}: say a run's id, its first letters, or its URL (`yarnml runs` lists them)")
    if "/" in name and exists(join(name, "run.json")):
        return RunDir(name)
    if exists(join(join(runs, name), "run.json")):
        return RunDir(join(runs, name))
    ids = [run.id for run in all_runs(runs)]
    matches = [known for known in ids if known.startswith(name)]
    if len(matches) == 1:
        return RunDir(join(runs, matches[0]))
    if matches:
        raise UsageError(f"run {name!r}: {len(matches)} runs begin with that: {', '.join(matches[-5:])}")
    raise UsageError(f"run {name!r}: not found in {runs}{nearest(name, ids[-10:])}")


def wait_for(done: Callable[[], bool], seconds: float, every: float = 0.1) -> bool:
    """Look until `done` or `seconds` have passed; whether it was done."""
    until = time.monotonic() + seconds
    while not done():
        if time.monotonic() >= until:
            return False
        time.sleep(every)
    return True


Line = tuple[str, str]  # which log, what it says


def follow(urls: Callable[[], dict[str, str]], ended: Callable[[], bool], every: float = 0.3) -> Iterator[Line]:
    """Every line of all logs as they grow, until the run has ended and all is said."""
    seen: dict[str, int] = {}  # bytes of each log
    while True:
        last = ended()  # asked before reading, so that nothing written before the end is missed
        for name, url in urls().items():
            fs, path = open_fs(url)
            new: bytes = fs.cat_file(path, start=seen.get(name, 0))
            whole = new if last else new[: new.rfind(b"\n") + 1]
            seen[name] = seen.get(name, 0) + len(whole)
            for line in whole.decode(errors="replace").splitlines():
                yield name, line
        if last:
            return
        time.sleep(every)


def _append(url: str, text: str) -> None:
    fs, path = open_fs(url)
    fs.makedirs(path.rpartition("/")[0], exist_ok=True)
    with fs.open(path, "ab") as file:
        file.write(text.encode(errors="surrogateescape"))  # a name that isn't in this machine's encoding


def _alive(pid: int, since: float) -> bool:
    """Whether the process that had this number at a time still runs, and the number isn't another's by now."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        booted = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        begun = booted + int(fields[BEGAN]) / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError, IndexError):  # not Linux: its number has to do
        return True
    return state != "Z" and begun <= since + SLACK
