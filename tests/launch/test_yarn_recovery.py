"""kill -9 on a real YARN, of whoever it may be: the run ends well, with the model of an undisturbed one to the bit."""

from __future__ import annotations

import io
import random
import signal
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yarnml
from hdfs_io import exists, join, open_fs, read_text, write_text
from tests.launch.on_yarn import SMALL, processes
from tests.launch.test_recovery import APP
from yarnml.cli.status import main as status
from yarnml.launch import keys
from yarnml.launch.yarn import rendezvous
from yarnml.launch.yarn.manager import configured
from yarnml.runs import RunDir, wait_for
from yarnml.started import Run
from yarnml.wire.keys import Keys
from yarnml.wire.message import Join
from yarnml.wire.transport import Status
from yarnml.wire.zmq import ZmqTransport, new_keys

pytest.importorskip("skein")
pytestmark = [pytest.mark.hadoop, pytest.mark.timeout(900), pytest.mark.usefixtures("on_cluster", "clean")]

DATA = "hdfs:///tmp/test-yarn-recovery/train.csv"
WAIT = 240.0  # seconds: containers start more than once, on a busy machine
Array = np.ndarray[Any, Any]


def started(**options: Any) -> Run:
    """A run of two workers and a server that lasts long enough to be hit, with checkpoints all the time."""
    if not exists(DATA):
        write_text(DATA, "x,y\n" + "".join(f"{i},{i % 7}\n" for i in range(31)))
    usual = {"data": DATA, "workers": 2, "checkpoint_every": 1.0, "clocks": 150, "pause": 0.1, **SMALL}
    return yarnml.submit(APP, **{**usual, **options})


@pytest.fixture(scope="module")
def undisturbed() -> Callable[[], Array]:
    """The model, by a run of this machine: where it is learned makes no difference."""
    known: list[Array] = []

    def model() -> Array:
        if not known:
            known.append(learned(yarnml.run(APP, data=DATA, workers=2, clocks=150, pause=0.0).wait()))
        return known[0]

    return model


def learned(run: Run) -> Array:
    fs, path = open_fs(join(run.result["model"], "W.npy"))
    found: Array = np.load(io.BytesIO(fs.cat_file(path)))
    return found


def at(run: Run, clock: int) -> RunDir:
    """Wait until the slowest worker has come there."""
    directory = RunDir(run.url)

    def there() -> bool:
        glance = directory.glance()
        return directory.ended or (glance is not None and glance.clock is not None and glance.clock >= clock)

    assert wait_for(there, WAIT)
    return directory


def hit(run: Run, role: str, clock: int, number: int = signal.SIGKILL) -> None:
    """Send a signal to one of a role once the run has come to a clock."""
    directory = at(run, clock)
    for process in processes(directory, role)[:1]:
        process.send_signal(number)


def survived(run: Run, restarts: int = 1) -> Array:
    """The model of a run that was brought back from deaths."""
    assert run.wait().result["restarts"] >= restarts
    return learned(run)


def test_a_worker_is_killed(undisturbed: Callable[[], Array], capsys: pytest.CaptureFixture[str]) -> None:
    run = started(silence=60.0)  # so that what its shell says comes first
    hit(run, "worker", 40)
    assert np.array_equal(survived(run), undisturbed())
    said = read_text(join(run.url, "logs/driver.log"))
    assert "was killed by SIGKILL" in said
    assert "another takes its place" in said
    assert status([run.url]) == 0
    assert "\n  1 restart\n" in capsys.readouterr().out


def test_the_scheduler_is_killed(undisturbed: Callable[[], Array], capsys: pytest.CaptureFixture[str]) -> None:
    run = started()
    hit(run, "scheduler", 60)
    assert np.array_equal(survived(run), undisturbed())
    assert status([run.url]) == 0
    assert "generation 1: rolled back to clock" in (said := capsys.readouterr().out)
    assert "the scheduler's container ended" in said
    assert "rolled back to clock" in read_text(join(run.url, "logs/driver.log"))


@pytest.mark.full
def test_the_application_s_master_is_killed(undisturbed: Callable[[], Array]) -> None:
    run = started()
    hit(run, "master", 60)
    assert np.array_equal(survived(run), undisturbed())
    glance = RunDir(run.url).glance()
    assert glance is not None
    assert "the application's master ended, and with it all containers" in glance.setback


@pytest.mark.full
def test_one_that_is_stopped_is_ended_and_replaced(undisturbed: Callable[[], Array]) -> None:
    run = started(silence=4.0)
    hit(run, "worker", 40, signal.SIGSTOP)
    assert np.array_equal(survived(run), undisturbed())
    assert "was silent for 4 s" in read_text(join(run.url, "logs/driver.log"))


@pytest.mark.full
def test_what_yarn_takes_away_is_not_counted(undisturbed: Callable[[], Array]) -> None:
    run = started(retries=1)
    glance = at(run, 40).glance()
    assert glance is not None
    names = {row["seat"]: row["name"].rpartition(", ")[2] for row in glance.containers}
    assert configured().kill_container(names["worker 0"])
    assert configured().kill_container(names["worker 1"])
    assert np.array_equal(survived(run, restarts=2), undisturbed())
    assert read_text(join(run.url, "logs/driver.log")).count("was taken away by YARN") == 2


@pytest.mark.full
@pytest.mark.parametrize("seed", range(5))
def test_whoever_is_killed_whenever(undisturbed: Callable[[], Array], seed: int) -> None:
    rng = random.Random(seed)
    run = started()
    hit(run, rng.choice(("worker", "server", "scheduler")), rng.randrange(100))
    assert np.array_equal(survived(run), undisturbed())


@pytest.mark.full
def test_a_run_that_was_killed_is_resumed_on_more_servers(undisturbed: Callable[[], Array]) -> None:
    """From the checkpoint with which it ended: there was none before."""
    first = started(detach=True, checkpoint_every=3600.0)
    directory = at(first, 60)
    first.kill()
    assert wait_for(lambda: directory.ended, WAIT)
    assert "ends at its next clock with a checkpoint" in read_text(join(first.url, "logs/driver.log"))
    again = started(resume=first.id, servers=2, pause=0.0)
    assert np.array_equal(learned(again.wait()), undisturbed())
    assert again.record.job["resume_clock"] > 60


def test_strangers_are_refused_and_the_run_s_keys_are_its_user_s(undisturbed: Callable[[], Array]) -> None:
    run = started(pause=0.05)
    directory = at(run, 0)
    fs, path = open_fs(join(run.url, "start/start.tar.gz"))
    assert fs.info(path)["permission"] == 0o600
    with tarfile.open(fileobj=io.BytesIO(fs.cat_file(path))) as tar:
        inner = tar.extractfile(keys.FILE)
        assert inner is not None
        secret = Keys.from_json(inner.read().decode()).channel_secret
    there = rendezvous.latest(run.url)
    assert there is not None
    for strange in (None, new_keys()):
        transport = ZmqTransport(keys=strange)
        channel = transport.connect(there.address, "worker-0.1")
        assert channel.send(Join(role="worker", address="", name="a stranger")) is Status.FULL
        channel.close()
        transport.close()
    [scheduler] = processes(directory, "scheduler")
    everybody = [p for role in ("scheduler", "worker", "server", "master") for p in processes(directory, role)]
    assert len(everybody) == 5
    assert not any(secret in word for process in everybody for word in process.cmdline())
    log = Path(scheduler.environ()["YARNML_LOG"])
    assert wait_for(lambda: "refused a connection from 127.0.0.1:" in log.read_text(), 20)
    assert np.array_equal(learned(run.wait()), undisturbed())
    assert "restarts" not in run.result
    assert not any(secret in read_text(url) for url in directory.log_files().values())
