"""A run whose processes take part with its keys alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import psutil

from yarnml.job import Job
from yarnml.launch import LocalLauncher, keys
from yarnml.wire.message import Join
from yarnml.wire.transport import Status
from yarnml.wire.zmq import ZmqTransport, new_keys

WAIT = 60.0  # s: imports of several processes on a busy machine
MakeJob = Callable[..., Job]

# Ends once a file is there, so that a test has time to look.
BODY = """
W = me.table("W")
me.report(begun=1)
while not me.sum(os.path.exists(os.path.join(os.path.dirname(__file__), "..", "enough"))):
    W.inc(None, np.ones((1, 2), np.float32))
    me.clock()
return {"total": float(me.sum(me.index + 1))}
"""


def test_strangers_are_refused_and_secrets_stay_secret(job_of: MakeJob, tmp_path: Path) -> None:
    job = job_of(BODY, rows="1", workers=2, secure=True)
    begun = Event()
    handle = LocalLauncher().start(job, lambda _: begun.set())
    assert begun.wait(WAIT)
    file = Path(job.url) / keys.FILE
    assert file.stat().st_mode & 0o777 == 0o600
    secret = keys.read(Path(job.url)).channel_secret
    commands = [process.cmdline() for process in psutil.Process().children(recursive=True)]
    assert not any(secret in word for command in commands for word in command)
    [address, *_] = [command[command.index("--coordinator") + 1] for command in commands if "--coordinator" in command]
    for strange in (None, new_keys()):
        transport = ZmqTransport(keys=strange)
        channel = transport.connect(address, "worker-0.1")
        assert channel.send(Join(role="worker", address="", name="a stranger")) is Status.FULL
        channel.close()
        transport.close()
    log = Path(job.url) / "logs" / "scheduler-0.log"
    _until(lambda: "refused a connection from 127.0.0.1:" in log.read_text())
    (tmp_path / "enough").touch()
    outcome = handle.wait(WAIT)
    assert outcome is not None
    assert outcome.ok, outcome.message
    assert not file.exists()
    texts = [path.read_text() for path in Path(job.url).rglob("*.*") if path.is_file()]
    assert not any(secret in text for text in texts)


def _until(true: Callable[[], bool]) -> None:
    end = monotonic() + WAIT
    while not true():
        assert monotonic() < end
        sleep(0.01)
