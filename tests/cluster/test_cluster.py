"""What is recorded of a cluster is read again, and what isn't there is said."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from yarnml.cluster import Cluster, command, down, env, running, status
from yarnml.cluster.layout import Layout
from yarnml.cluster.ports import Address, usual
from yarnml.cluster.size import Size
from yarnml.errors import UsageError, YarnmlError


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    """A cluster that is recorded, and not up."""
    layout = Layout.at(tmp_path / "state")
    layout.root.mkdir()
    layout.make()
    ports = usual(2) | {"namenode.rpc": Address("127.0.0.1", 8025)}
    made = Cluster(layout, 2, Size(2048, 8), Path("/java"), Path("/jars"), ports)
    made.save()
    return made


def test_the_record_is_read_as_it_was_written(cluster: Cluster) -> None:
    assert Cluster.load(cluster.layout) == cluster
    assert cluster.hdfs == "hdfs://localhost:8025"
    assert [daemon.name for daemon in cluster.daemons] == [
        "namenode", "resourcemanager", "datanode-1", "datanode-2", "nodemanager-1", "nodemanager-2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"nodes": 1, "ports": {"namenode.rpc": "x"}}', '{"nodes": 1, "ports": 3}']
)
def test_a_record_of_something_else(cluster: Cluster, text: str) -> None:
    cluster.layout.record.write_text(text)
    with pytest.raises(YarnmlError, match=r"cluster.json isn't a cluster's record"):
        Cluster.load(cluster.layout)


def test_a_missing_port_is_found_out(cluster: Cluster) -> None:
    value = json.loads(cluster.layout.record.read_text())
    del value["ports"]["datanode-2.ipc"]
    cluster.layout.record.write_text(json.dumps(value))
    with pytest.raises(YarnmlError, match=r"datanode-2\.ipc"):
        Cluster.load(cluster.layout)


def test_the_environment_of_its_users(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin")
    root = cluster.layout.root
    assert env(root) == {
        "HADOOP_CONF_DIR": f"{root}/conf", "YARN_CONF_DIR": f"{root}/conf", "JAVA_HOME": "/java",
        "PATH": f"{root}/bin{os.pathsep}/usr/bin",
    }  # fmt: skip


def test_what_a_shell_is_told(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    root = cluster.layout.root
    assert command.env(root) == 0
    said = capsys.readouterr()
    assert "this cluster is down" in said.err
    script = said.out + 'echo "$HADOOP_CONF_DIR $YARN_CONF_DIR $JAVA_HOME $PATH"'
    done = subprocess.run(["/bin/sh", "-c", script], env={"PATH": "/usr/bin"}, capture_output=True, text=True)
    assert done.stdout == f"{root}/conf {root}/conf /java {root}/bin:/usr/bin\n"


def test_one_that_is_not_up(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    root = cluster.layout.root
    assert running(root) is None
    found = status(root)
    assert found is not None
    assert not found.up
    assert command.status(root) == 1
    said = capsys.readouterr().out
    assert "namenode           down" in said
    assert "YARN http://localhost:8088: 0 of 2 nodes" in said
    assert f"`yarnml cluster up --state {root}` mends it" in said


def test_none_at_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = tmp_path / "nowhere"
    assert running(nowhere) is None
    assert status(nowhere) is None
    assert down(nowhere) == 0
    with pytest.raises(UsageError, match="`yarnml cluster up` makes one"):
        env(nowhere)
    assert command.status(nowhere) == 1
    assert command.down(nowhere) == 0
    assert "nothing to end" in capsys.readouterr().out
    assert not nowhere.exists()


def test_down_ends_with_a_damaged_record_too(cluster: Cluster) -> None:
    cluster.layout.record.write_text("{")
    assert down(cluster.layout.root) == 0
    assert not cluster.layout.root.exists()
