"""A stand-in for a cluster: it takes everything, and its surveys are done in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from uuid import uuid4

import pytest

from hdfs_io import remove, write_text
from hdfs_io.errand import Errand
from yarnml.comm.outcome import Outcome
from yarnml.job import Job
from yarnml.launch import env
from yarnml.launch.yarn import launcher
from yarnml.sender import Sender

Survey = Callable[[Sender, Job, Errand], Outcome]


class Applications:
    """Skein, without its JVM."""

    def __enter__(self) -> Applications:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@contextmanager
def cluster(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, survey: Survey, *, adopted: str | None, shipped: str = ""
) -> Iterator[str]:
    """Where its runs are, and two files of data, for a module that looks for a cluster.

    `adopted`, `shipped`: what is said of where the cluster is, and of the environment that goes there.
    """
    url = f"memory://{uuid4().hex}"
    notes = (shipped,) if shipped else ()
    monkeypatch.setattr(module, "adopt", lambda: adopted)
    monkeypatch.setattr(module, "Site", SimpleNamespace(find=lambda: SimpleNamespace(runs=f"{url}/runs")))
    monkeypatch.setattr(module, "Applications", Applications)
    monkeypatch.setattr(launcher, "refuse", lambda *_: None)
    monkeypatch.setattr(env, "plan", lambda _: env.Plan("python", (), None, (), notes))
    monkeypatch.setattr(Sender, "survey", survey)
    write_text(f"{url}/data/p0.csv", "a,y\n1,0\n2,1\n")
    write_text(f"{url}/data/p1.csv", "a,y\n3.5,1\n")
    yield url
    remove(url)
