"""Runs on a real YARN: what they find, how they end, and what they leave."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import psutil
import pytest

import yarnml
from hdfs_io import DataError, block_hosts, exists, join, open_fs, read_text, scan, write_text
from tests.cluster import rest
from tests.launch.on_yarn import SMALL
from yarnml.app import load_app
from yarnml.cli.kill import main as kill
from yarnml.cli.logs import main as logs
from yarnml.cli.status import main as status
from yarnml.cluster import Cluster
from yarnml.errors import RunFailed, Stopped, UsageError
from yarnml.launch.yarn.manager import configured
from yarnml.monitor.terminal import view
from yarnml.runs import RunDir, wait_for
from yarnml.started import Run
from yarnml.submission import Submission

pytest.importorskip("skein")
pytestmark = [pytest.mark.hadoop, pytest.mark.timeout(600), pytest.mark.usefixtures("on_cluster")]

APP = """
import os, shutil, signal, sys, tempfile, time
from pathlib import Path
from dataclasses import dataclass
import numpy as np
from yarnml.app import AppConfig

@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    how: str = "well"  # it ends

def work(me, cfg):
    print("worker", me.index, "home", os.listdir(os.environ["HOME"]), flush=True)
    me.sum(np.ones(1))
    me.report(clock=0, loss=1.0)
    if me.index == 1 and cfg.how == "raise":
        raise ValueError("so it is")
    if me.index == 1 and cfg.how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if cfg.how == "look":
        here = Path.cwd()
        print("python", shutil.which("python3") or shutil.which("python"), Path(sys.executable).relative_to(here))
        print("temporary", Path(tempfile.gettempdir()).relative_to(here), "greeting", os.environ["GREETING"])
    keep = []
    while cfg.how not in ("well", "look"):
        me.sum(np.ones(1))
        if me.index == 1 and cfg.how == "memory":
            keep.append(np.ones(1 << 20))
        time.sleep(0.02)
"""


@pytest.fixture(scope="module")
def data(hadoop: Cluster) -> str:
    """Rows whose label is the sign of the first of three features."""
    X = np.random.default_rng(0).normal(size=(3000, 3))
    lines = [f"{int(x[0] > 0)} " + " ".join(f"{i + 1}:{v:.3f}" for i, v in enumerate(x)) for x in X]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in hadoop.variables().items():
            patch.setenv(name, value)
        write_text("hdfs:///tmp/test-yarn/train", "\n".join(lines) + "\n")
        write_text("hdfs:///tmp/test-yarn/one-class", "1 1:2\n1 1:3\n")
    return "hdfs:///tmp/test-yarn/train"


@pytest.fixture
def app(tmp_path: Path) -> str:
    """A private app, in a directory as people have them."""
    folder = tmp_path / "wörk dir" / "my_app"
    folder.mkdir(parents=True)
    (folder / "app.py").write_text(APP)
    return str(folder)


def begun(run: Run) -> None:
    directory = RunDir(run.url)
    assert wait_for(lambda: (glance := directory.glance()) is not None and glance.clock is not None, 90), run.url


def test_mlr_from_and_to_hdfs_then_its_model_on_the_cluster(
    data: str, clean: None, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"data": data, "test": 0.2, "workers": 2, **SMALL, "queue": "ml"}
    first = yarnml.submit("mlr", epochs=5, **options).wait()
    assert first.result["test"]["accuracy"] > 0.9
    assert first.url.startswith("hdfs://")
    assert exists(first.result["model"])
    assert len(first.metrics) > 0
    assert status([first.url]) == 0
    assert logs([first.url]) == 0
    assert "succeeded" in capsys.readouterr().out
    again = yarnml.submit("mlr", epochs=5, **options).wait()
    assert "sending" not in capsys.readouterr().err
    assert again.result["test"] == first.result["test"]
    out = f"{data}-scores"
    scored = yarnml.submit("predict", model=first.result["model"], data=data, out=out, workers=2, **SMALL).wait()
    assert scored.result["out"] == out
    fs, path = open_fs(out)
    assert sorted(name.rpartition("/")[2] for name in fs.ls(path, detail=False)) == [
        "_SUCCESS", "part-00000.parquet", "part-00001.parquet",
    ]  # fmt: skip


def test_workers_read_what_their_node_holds(hadoop: Cluster, clean: None) -> None:
    """The first half of the rows is on one node, the others are on the other."""
    url = f"hdfs:///tmp/test-yarn-{uuid4().hex}"
    nodes = ("127.0.0.12", "127.0.0.11")
    row = " ".join(f"{j}:0.5" for j in range(1, 50))
    text = "".join(f"{k % 2} {row}\n" for k in range(400))
    for part in range(4):
        file = join(url, f"part-{part}.libsvm")
        for _ in range(40):  # HDFS chooses a node for what is written from elsewhere
            write_text(file, text)
            [stretch] = block_hosts(file, [(0, len(text))])
            if stretch.hosts[nodes[part // 2]] == len(text):
                break
    run = yarnml.submit("mlr", data=url, epochs=1, workers=2, **SMALL).wait()
    assert run.result["read"]["bytes"] == 4 * len(text)
    glance = RunDir(run.url).glance()
    assert glance is not None
    hosts = {row["name"].partition(",")[0] for row in glance.containers if row["seat"].startswith("worker")}
    possible = len(hosts) / len(nodes)  # YARN may have had no room for a worker on either of them
    assert run.result["read"]["local_bytes"] >= 0.9 * possible * run.result["read"]["bytes"]


def test_workers_survey_what_is_learned_from(data: str, clean: None) -> None:
    """The job is the one that a scan of here leads to, and nothing of the survey is left."""
    shown, url = io.StringIO(), f"{data}-parts"
    for k in range(3):
        rows = "".join(f"{'ab'[j % 2]},{j}.5,{k}\n" for j in range(1000))
        write_text(join(url, f"part-{k}.csv"), f"word,x,y\n{rows}")
    options = {"data": url, "test": 0.2, "workers": 2, **SMALL, "scan": "cluster"}
    with Submission.prepare(load_app("mlr"), options, view(shown)) as submission:
        job = submission.job
    assert job.train is not None
    assert job.train.dataset == scan(url, label="class")
    assert re.search(r"scan +3,000 rows surveyed by 2 workers in \d+ s, \d+% of it where it is", shown.getvalue())
    fs, path = open_fs(job.runs)
    assert not [name for name in fs.ls(path, detail=False) if "/survey-" in name]


def test_kmeans_in_an_environment_that_ships_itself(data: str, clean: None) -> None:
    options = {"data": data, "k": 2, "workers": 1, **SMALL, "env": None}
    run = yarnml.submit("kmeans", **options).wait()
    assert 0 < run.result["train"]["inertia"] < 9000


@pytest.fixture
def no_python(tmp_path: Path) -> str:
    """A PATH with all the commands of this machine, but no Python."""
    for folder in ("/bin", "/usr/bin"):
        for command in Path(folder).iterdir():
            link = tmp_path / "commands" / command.name
            link.parent.mkdir(exist_ok=True)
            if not command.name.startswith(("python", "pypy")) and not link.is_symlink():
                link.symlink_to(command)
    return str(tmp_path / "commands")


def test_two_runs_at_once_on_nodes_without_python_share_nothing(app: str, no_python: str, clean: None) -> None:
    wish = {"how": "look", "workers": 1, **SMALL, "env": None}
    runs = [yarnml.submit(app, variables=(f"PATH={no_python}", f"GREETING=it's {i}"), **wish) for i in range(2)]
    assert [run.wait().state for run in runs] == ["succeeded", "succeeded"]
    for i, run in enumerate(runs):
        said = read_text(join(run.url, "logs/worker-0.log")).splitlines()
        assert said == ["worker 0 home []", "python None env/bin/python", f"temporary tmp greeting it's {i}"]


@pytest.mark.parametrize("times", [2, pytest.param(10, marks=pytest.mark.full)])
def test_submits_in_a_row_leave_nothing_behind(
    app: str, hadoop: Cluster, clean: None, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "here"))
    children = {child.pid for child in psutil.Process().children(recursive=True)}
    before = kept(hadoop)
    for _ in range(times):
        yarnml.submit(app, workers=1, **SMALL).wait()
    assert wait_for(lambda: not containers(hadoop), 10)
    assert configured().ours() == []
    new = {name for name in kept(hadoop) - before if ".yarnml/env/" not in name}
    runs = {name.partition("/.yarnml/runs/")[2].partition("/")[0] for name in new}
    assert len(runs) == times
    assert all("/.yarnml/runs/" in name for name in new)
    assert list((tmp_path / "here").iterdir()) == []
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= children


def kept(hadoop: Cluster) -> set[str]:
    """All files and empty directories of users."""
    fs, path = open_fs(f"{hadoop.hdfs}/user")
    names = set(fs.find(path, withdirs=True)) if fs.exists(path) else set()
    return names - {name.rpartition("/")[0] for name in names}


def containers(hadoop: Cluster) -> list[str]:
    """Those that the nodes run."""
    found: list[str] = []
    for node in (1, 2):
        said = rest.read(f"http://{hadoop.ports[f'nodemanager-{node}.http']}/ws/v1/node/containers")["containers"]
        found += [container["id"] for container in (said or {}).get("container", [])]
    return found


def test_ctrl_c_ends_the_application_from_a_folder_whose_name_few_programs_expect(app: str, clean: None) -> None:
    """Its name has a space and a letter that LANG=C lacks."""
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    command = [sys.executable, "-m", "yarnml", "submit", "./my_app", "--how=never", *flags]
    env = {**os.environ, "LANG": "C", "LC_ALL": "C", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(command, cwd=Path(app).parent, env=env, stderr=subprocess.PIPE, text=True) as client:
        assert client.stderr is not None
        said = []
        for line in client.stderr:
            said.append(line)
            if "clock 0" in line:
                client.send_signal(signal.SIGINT)
                break
        rest_of_it = client.communicate(timeout=60)[1]
    assert client.returncode == 130, "".join(said) + rest_of_it
    assert "interrupted" in rest_of_it
    assert configured().ours() == []


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("raise", r"worker 1: ValueError: so it is\nthe end of hdfs.*logs/worker-1.log"),
        ("kill", r"worker 1 \(host 127.0.0.1[12], pid \d+, container_\w+\) was killed by SIGKILL"),
        ("memory", r"worker 1 .*container_\w+\) was ended by YARN: it used \d+ MiB .* 400 MiB; .* --worker-memory"),
    ],
)
def test_the_first_to_fail_is_named_with_its_last_words(app: str, clean: None, how: str, said: str) -> None:
    with pytest.raises(RunFailed) as caught:
        yarnml.submit(app, workers=2, how=how, retries=0 if how == "kill" else 3, **SMALL).wait()
    assert re.search(said, str(caught.value), re.DOTALL), str(caught.value)
    assert "worker 1 home []" in str(caught.value) or how == "raise"


def test_it_is_seen_and_killed_from_anywhere(app: str, clean: None, capsys: pytest.CaptureFixture[str]) -> None:
    run = yarnml.submit(app, workers=2, how="never", detach=True, **SMALL)
    begun(run)
    assert wait_for(lambda: len(getattr(RunDir(run.url).glance(), "containers", ())) == 4, 20)
    assert status([run.url]) == 0
    said = capsys.readouterr().out
    assert re.search(r"worker 1 .* of 400 MiB   host 127.0.0.1[12], pid \d+, container_", said), said
    command = [sys.executable, "-m", "yarnml", "logs", run.url, "-f"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as follower:
        assert follower.stdout is not None
        assert any(line == "worker-1  | worker 1 home []\n" for line in follower.stdout)
        assert kill([run.url]) == 0
        follower.communicate(timeout=30)
    with pytest.raises(Stopped, match="killed by its user"):
        run.wait()
    assert run.state == "killed"


def test_containers_that_do_not_come_are_named_and_all_is_released(app: str, clean: None) -> None:
    run = yarnml.submit(app, workers=6, **{**SMALL, "worker_memory": "1GiB"}, start_timeout=15)
    watcher = RunDir(run.url)

    def waiting() -> str:
        glance = watcher.glance()
        return "" if glance is None else glance.waiting

    assert wait_for(lambda: "(" in waiting(), 60)
    assert re.match(r"\d of 8 containers; waiting: .*worker.* \(a worker needs 1 GiB and 1 vcore; free: 127", waiting())
    with pytest.raises(
        RunFailed, match=r"could not start within 15 s: \d of 8 containers; waiting: .*workers? \d.*1 GiB"
    ):
        run.wait()


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"queue": "nope"}, r"--queue nope: the cluster has no such queue; its queues: default, ml, closed \(stopped\), "),
    ({"queue": "closed"}, r"--queue closed: is stopped and takes nothing"),
    ({"queue": "barred"}, r"--queue barred: its ACL doesn't let \w+ in; the cluster's queues: default, ml, "),
    ({"variables": ("PYTHONPATH=/x",)}, r"--variables PYTHONPATH=/x: yarnml sets PYTHONPATH itself"),
    ({"worker_memory": "90GiB"}, r"--worker-memory 90 GiB: the most that a container can have here is 2 GiB"),
    ({"server_vcores": 99}, r"--server-vcores 99: the most that a container can have here is \d+"),
    ({"worker_memory": "lots"}, r"--worker-memory lots: expected memory such as 2GiB"),
    ({"node_label": "gpu"}, r"--node-label gpu: no running node has the label; labels there: none"),
    ({"data": "hdfs:///tmp/test-yarn/tarin"}, r"tarin: no such file or directory; did you mean 'train'"),
    ({"data": "hdfs:///tmp/test-yarn/one-class"}, r"holds only the class 1: there is nothing to learn"),
    ({"data": "/etc/hosts"}, r"--data /etc/hosts: is on this machine, where containers can't reach it; copy it"),
    ({"out": "hdfs:///tmp/test-yarn/one-class"}, r"exists already"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("wish", "said"), REFUSED, ids=lambda x: next(iter(x.items()))[0] if isinstance(x, dict) else ""
)
def test_refused_before_anything_starts(data: str, hadoop: Cluster, wish: dict[str, Any], said: str) -> None:
    before = apps(hadoop)
    with pytest.raises((UsageError, DataError), match=said):
        yarnml.submit("mlr", **{"data": data, **SMALL, **wish})
    assert apps(hadoop) == before


def apps(hadoop: Cluster) -> int:
    """How many applications were ever submitted."""
    with urllib.request.urlopen(f"{hadoop.resourcemanager}/ws/v1/cluster/metrics", timeout=10) as answer:
        return int(json.load(answer)["clusterMetrics"]["appsSubmitted"])


@pytest.mark.parametrize("which", ["yarn-site.xml", "core-site.xml"])
def test_a_master_that_does_not_answer_is_named_within_ten_seconds(
    hadoop: Cluster, data: str, which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf = hadoop.layout.part("conf")
    name = "resourcemanager.http" if which == "yarn-site.xml" else "namenode.rpc"
    for file in conf.glob("*-site.xml"):
        text = file.read_text()
        (tmp_path / file.name).write_text(text.replace(f"localhost:{hadoop.ports[name].port}", "localhost:1"))
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    start = time.monotonic()
    with pytest.raises((UsageError, DataError), match=r"no (ResourceManager|NameNode) answers at .*localhost:1"):
        yarnml.submit("mlr", data=data, **SMALL)
    assert time.monotonic() - start < 10
