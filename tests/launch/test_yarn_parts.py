"""The parts of a submission that need no cluster: sizes, refusals, notes, what the ResourceManager says."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from yarnml.comm.seat import Seat
from yarnml.errors import DataError, PeerLost, UsageError
from yarnml.job import Job
from yarnml.launch.env import Shipment
from yarnml.launch.yarn import notes, parcel, rendezvous
from yarnml.launch.yarn.homes import Home
from yarnml.launch.yarn.inside import SAID, spoken_exit
from yarnml.launch.yarn.launcher import restarts
from yarnml.launch.yarn.manager import Manager, Node, Queue, configured
from yarnml.launch.yarn.memory import megabytes, resident, spoken
from yarnml.launch.yarn.refuse import bars, refuse_queue, refuse_size, waiting_for
from yarnml.launch.yarn.rendezvous import Rendezvous
from yarnml.launch.yarn.spec import Service, Size, Spec, services, variables
from yarnml.launch.yarn.stay import AGAIN
from yarnml.request import OnYarn

QUEUES = [
    Queue("root.default", True, 4096, 8, ("*",)),
    Queue("root.ml", True, 4096, 8, (" ", "you,they ")),
    Queue("root.closed", False, 0, 0),
]
NODES = [Node("a", 4096, 8, 1024, 8), Node("b", 2048, 4, 2048, 1, ("gpu",))]


@pytest.mark.parametrize(
    ("text", "mb"), [("2GiB", 2048), ("1.5g", 1536), ("512", 512), ("512 MiB", 512), ("1TB", 1 << 20)]
)
def test_memory_as_people_write_it(text: str, mb: int) -> None:
    assert megabytes(text, "--worker-memory") == mb


@pytest.mark.parametrize("text", ["", "lots", "-1GiB", "0", "2XiB"])
def test_memory_that_is_none(text: str) -> None:
    with pytest.raises(UsageError, match="--worker-memory"):
        megabytes(text, "--worker-memory")


def test_memory_as_people_read_it() -> None:
    assert [spoken(mb) for mb in (512, 1024, 1536, 10240)] == ["512 MiB", "1 GiB", "1.5 GiB", "10 GiB"]
    assert 5 < resident() < 10_000


def test_services_have_the_sizes_that_were_wished_for() -> None:
    found = services(OnYarn(worker_memory="3GiB", worker_vcores=2), workers=4, servers=2)
    assert found[0] == Service("scheduler", 1, Size(512, 1))
    assert found[1:] == (Service("server", 2, Size(1024, 1)), Service("worker", 4, Size(3072, 2)))


def test_a_queue_by_either_name() -> None:
    assert refuse_queue("ml", QUEUES, "you") == refuse_queue("root.ml", QUEUES, None) == QUEUES[1]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("defualt", r"no such queue; did you mean 'default'\?; its queues: default, ml, closed \(stopped\)"),
        ("closed", r"is stopped and takes nothing; the cluster's queues: default, ml, closed \(stopped\)"),
        ("ml", r"--queue ml: its ACL doesn't let me in; the cluster's queues: default, ml"),
    ],
)
def test_queues_that_are_refused(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        refuse_queue(name, QUEUES, "me")


@pytest.mark.parametrize(
    ("acls", "barred"),
    [
        ((), False),  # it isn't said
        ((" ",), True),
        ((" ", "*"), False),
        (("me",), False),
        (("you,me staff",), False),
        (("you staff",), False),  # who is in a group isn't known here
        (("you,meg ",), True),
    ],
)
def test_a_queue_bars_whom_none_of_its_lists_can_mean(acls: tuple[str, ...], barred: bool) -> None:
    assert bars(Queue("root.ml", True, 0, 0, acls), "me") == barred


def test_variables_as_users_say_them() -> None:
    assert variables(OnYarn(variables=("A=1", "B=x=y z", "C="))) == {"A": "1", "B": "x=y z", "C": ""}
    for text in ("A", "=1", "A B=1"):
        with pytest.raises(UsageError, match="expected NAME=VALUE"):
            variables(OnYarn(variables=(text,)))
    for name in ("HOME", "PYTHONPATH", "YARNML_LOG"):
        with pytest.raises(UsageError, match=f"yarnml sets {name} itself"):
            variables(OnYarn(variables=(f"{name}=1",)))


def test_the_largest_node_is_the_limit_and_with_a_label_only_those_that_have_it() -> None:
    queue = QUEUES[0]
    refuse_size([Service("worker", 9, Size(4096, 8))], NODES, queue, None)
    with pytest.raises(UsageError, match="--worker-memory 4 GiB: the most that a container can have here is 2 GiB"):
        refuse_size([Service("worker", 9, Size(4096, 4))], NODES, queue, "gpu")
    with pytest.raises(UsageError, match="--server-vcores 9: the most that a container can have here is 8"):
        refuse_size([Service("server", 1, Size(64, 9))], NODES, queue, None)
    with pytest.raises(UsageError, match="--node-label tpu: no running node has the label; labels there: gpu"):
        refuse_size([], NODES, queue, "tpu")


def test_why_containers_do_not_come() -> None:
    asked = [Service("server", 1, Size(256, 1)), Service("worker", 2, Size(1536, 1))]
    assert waiting_for(asked, NODES) == (
        "a worker needs 1.5 GiB and 1 vcore; free: a 1 GiB and 8 vcores, b 2 GiB and 1 vcores"
    )
    assert waiting_for([Service("worker", 2, Size(512, 1))], NODES).endswith("containers are being started")
    assert waiting_for(asked, []) == waiting_for([], NODES) == ""


def test_notes_come_back_as_they_were_left(tmp_path: Path) -> None:
    left = [
        notes.Note("worker", 1, "container_e1_17_01_01_000003", "was killed by SIGKILL (by hand: 100 %/ü)"),
        notes.Note("worker", 2, "container_e1_17_01_01_000004", "2210", over=True),
    ]
    assert notes.read(str(tmp_path)) == []
    for note in left:
        notes.leave(str(tmp_path), note)
    assert sorted(notes.read(str(tmp_path)), key=lambda note: note.index) == left
    assert left[0].seat == Seat("worker", 1)


def test_the_scheduler_is_found_by_its_attempt(tmp_path: Path) -> None:
    run, first = str(tmp_path), Rendezvous("01", "tcp://a:1", 0, 7.0)
    assert rendezvous.attempt_of("container_e17_1700000000000_0042_02_000003") == "02"
    assert rendezvous.application_of("container_e17_1700000000000_0042_02_000003") == "application_1700000000000_0042"
    assert rendezvous.find(run, "01", 1.0, over=lambda: True) is None
    rendezvous.publish(run, first)
    assert rendezvous.find(run, "01", 1.0) == first
    assert rendezvous.find(run, "02", 1.0, over=lambda: True) is None
    with pytest.raises(PeerLost, match=r"did not come within 0\.01 s"):
        rendezvous.find(run, "02", 0.01)


def test_where_a_scheduler_was_nobody_is_sent_any_more(tmp_path: Path) -> None:
    run, there = str(tmp_path), Rendezvous("01", "tcp://a:1", 3, 7.0)
    rendezvous.withdraw(run, "01")
    assert rendezvous.latest(run) is None
    rendezvous.publish(run, there)
    rendezvous.withdraw(run, "02")
    assert rendezvous.latest(run) == there
    rendezvous.withdraw(run, "01")
    assert rendezvous.latest(run) == replace(there, address="")
    assert rendezvous.find(run, "01", 1.0, over=lambda: True) is None


@pytest.mark.parametrize(
    ("code", "said"), [(3, "ended with exit code 3"), (139, "was killed by SIGSEGV"), (137, "was killed by SIGKILL (")]
)
def test_exit_codes_of_a_shell(code: int, said: str) -> None:
    assert spoken_exit(code).startswith(said)


def test_the_parcel_holds_what_only_the_user_may_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "core-site.xml").write_text("<configuration/>")
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    spec = Spec(limits={"worker": 1024}, start_timeout=1.0, queue="ml", homes=[Home(9, {"a": 9}), Home(0)])
    with tarfile.open(fileobj=io.BytesIO(parcel._archive({"yarn.json": spec.to_json(), **parcel._conf()}))) as tar:
        assert [(m.name, m.mode) for m in tar] == [("yarn.json", 0o600), ("conf/core-site.xml", 0o600)]
        inner = tar.extractfile("yarn.json")
        assert inner is not None
        assert Spec.from_json(inner.read().decode()) == spec


def test_no_secret_and_no_url_is_in_the_lines_that_start_a_role() -> None:
    shipment = Shipment("env/bin/python", ("code",), None, (), 0)
    for role in ("scheduler", "server", "worker"):
        text = parcel.script(role, shipment)
        assert "://" not in text
        assert "yarnml.launch.yarn." in text


@pytest.mark.parametrize(
    ("role", "ends", "code", "words"),
    [
        ("worker", "exit 0", 0, False),
        ("worker", f"exit {AGAIN}", AGAIN, False),
        ("worker", f"exit {SAID}", SAID, True),
        ("server", "kill -9 $$", 137, True),
        ("scheduler", f"exit {SAID}", SAID, False),
        ("scheduler", "exit 0", 0, False),
        ("scheduler", "kill -9 $$", 137, True),
    ],
)
def test_the_shell_speaks_for_who_ended_without_a_word(
    role: str, ends: str, code: int, words: bool, tmp_path: Path
) -> None:
    (tmp_path / "python").write_text(f"#!/bin/sh\ncase $* in *last_words*) echo words $* ;; *) {ends} ;; esac\n")
    (tmp_path / "python").chmod(0o755)
    text = parcel.script(role, Shipment("./python", ("code",), None, (), 0))
    done = subprocess.run(["sh", "-c", text], cwd=tmp_path, env={**os.environ, "LOG_DIRS": str(tmp_path)}, check=False)
    assert done.returncode == code
    said = (tmp_path / "yarnml.log").read_text()
    assert (f"--role {role} --code {code}" in said) == words


def test_a_run_without_retries_has_one_scheduler(tmp_path: Path) -> None:
    job = Job(run="run", runs=str(tmp_path), app="mlr")
    assert restarts(job) == {"scheduler": 3, "server": -1, "worker": -1}
    assert restarts(replace(job, retries=0)) == {"scheduler": 0, "server": -1, "worker": -1}


ANSWERS: dict[str, Any] = {
    "scheduler": {"scheduler": {"schedulerInfo": {"queueName": "root", "queues": {"queue": [
        {"queueName": "etl", "state": "RUNNING", "queues": {"queue": [
            {"queueName": "night", "state": "STOPPED", "maximumAllocation": {"memory": 2048, "vCores": 4}}]}},
        {"queueName": "ml", "state": "RUNNING", "queueAcls": {"queueAcl": [
            {"accessType": "SUBMIT_APP", "accessControlList": "me "},
            {"accessType": "APPLICATION_MAX_PRIORITY", "accessControlList": "*"}]}}]}}}},
    "nodes": {"nodes": {"node": [{"nodeHostName": "a", "usedMemoryMB": 1, "availMemoryMB": 9, "usedVirtualCores": 1,
                                  "availableVirtualCores": 3}]}},
    "apps/application_1/appattempts/appattempt_1_000002/containers": {"container": [
        {"containerId": "container_1_02_7"}]},
    "apps": {"apps": {"app": [{"name": "yarnml b"}, {"name": "yarnml a"}]}},
    "containers/container_1_02_7/signal/FORCEFUL_SHUTDOWN": {},
    "apps/application_1": {"app": {"state": "ACCEPTED", "finalStatus": "UNDEFINED", "diagnostics": " waits \n long ",
                                   "runningContainers": -1}},
}  # fmt: skip


@pytest.fixture
def manager() -> Iterator[Manager]:
    """A ResourceManager's answers."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = ANSWERS.get(self.path.removeprefix("/ws/v1/cluster/").partition("?")[0])
            self.send_response(404 if found is None else 200)
            self.end_headers()
            self.wfile.write(json.dumps(found).encode())

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Manager(["http://127.0.0.1:1", f"http://127.0.0.1:{server.server_port}"])
        server.shutdown()
        thread.join()


def test_the_resource_manager_that_answers_is_understood(manager: Manager) -> None:
    assert manager.queues() == [Queue("root.etl.night", False, 2048, 4), Queue("root.ml", True, 0, 0, ("me ",))]
    assert manager.addresses[1] == "http://127.0.0.1:1"  # which does not answer, and is asked last from now on
    assert manager.nodes() == [Node("a", 10, 4, 9, 3)]
    assert manager.ours() == ["yarnml a", "yarnml b"]
    app = manager.application("application_1")
    assert app is not None
    assert (app.state, app.ended, app.diagnostics, app.containers) == ("ACCEPTED", False, "waits long", 0)
    assert manager.application("application_2") is None
    assert manager.containers("application_1", "02") == {"container_1_02_7"}
    with pytest.raises(LookupError):
        manager.containers("application_1", "01")
    assert manager.kill_container("container_1_02_7")
    assert not manager.kill_container("container_1_02_8")


def test_one_that_does_not_answer_is_named() -> None:
    with pytest.raises(DataError, match=r"no ResourceManager answers at http://127\.0\.0\.1:1 \(Connection refused\)"):
        Manager(["http://127.0.0.1:1"]).check()


def test_its_addresses_are_those_of_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def conf(**said: str) -> list[str]:
        named = {name.replace("__", "-").replace("_", "."): value for name, value in said.items()}
        pairs = "".join(f"<property><name>{k}</name><value>{v}</value></property>" for k, v in named.items())
        (tmp_path / "yarn-site.xml").write_text(f"<configuration>{pairs}</configuration>")
        return configured().addresses

    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    assert conf(yarn_resourcemanager_hostname="rm") == ["http://rm:8088"]
    assert conf(
        yarn_resourcemanager_ha_rm__ids="a,b", yarn_resourcemanager_hostname_a="x",
        yarn_resourcemanager_webapp_address_b="y:1",
    ) == ["http://x:8088", "http://y:1"]  # fmt: skip
    assert conf(yarn_resourcemanager_hostname="rm", yarn_http_policy="HTTPS_ONLY") == ["https://rm:8090"]
    with pytest.raises(UsageError, match="names no ResourceManager"):
        conf()
