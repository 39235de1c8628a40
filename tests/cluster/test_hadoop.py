"""The real thing: HDFS keeps files, YARN runs containers, and `down` leaves nothing of either."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from yarnml.cluster import Cluster, command, down, running, status, up
from yarnml.cluster.process import Process, end, find
from yarnml.errors import UsageError

from . import rest

pytestmark = [pytest.mark.hadoop, pytest.mark.timeout(600)]

UP = """
import sys
from pathlib import Path
from yarnml.cluster import command
sys.exit(command.up(1, Path(sys.argv[1]), memory_mb=1024))
"""


def processes(cluster: Cluster) -> dict[str, Process | None]:
    return {daemon.name: daemon.process(cluster.layout) for daemon in cluster.daemons}


def test_all_of_it_serves(hadoop: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    found = status(hadoop.layout.root)
    assert found is not None
    assert found.up
    assert (found.datanodes, found.nodemanagers, found.free_mb) == (2, 2, 4096)
    assert all(daemon.resident > 50 << 20 for daemon in found.daemons)
    assert command.status(hadoop.layout.root) == 0
    assert capsys.readouterr().out.count("serves") == 6
    assert running(hadoop.layout.root) == hadoop


def test_yarn_has_two_nodes_in_two_racks_and_four_queues(hadoop: Cluster) -> None:
    nodes = rest.read(f"{hadoop.resourcemanager}/ws/v1/cluster/nodes")["nodes"]["node"]
    assert {(n["nodeHostName"], n["rack"], n["state"]) for n in nodes} == {
        ("127.0.0.11", "/rack1", "RUNNING"), ("127.0.0.12", "/rack2", "RUNNING"),
    }  # fmt: skip
    root = rest.read(f"{hadoop.resourcemanager}/ws/v1/cluster/scheduler")["scheduler"]["schedulerInfo"]
    assert {q["queueName"]: q["state"] for q in root["queues"]["queue"]} == {
        "default": "RUNNING", "ml": "RUNNING", "closed": "STOPPED", "barred": "RUNNING",
    }  # fmt: skip


def test_a_file_comes_back_and_its_blocks_lie_on_both_nodes(hadoop: Cluster) -> None:
    data = os.urandom((1 << 20) + 17)
    rest.put(hadoop, "/tmp/spread", data, blocksize=64 << 10)
    assert rest.get(hadoop, "/tmp/spread") == data
    hosts = rest.block_hosts(hadoop, "/tmp/spread")
    assert len(hosts) == 17
    assert {host for block in hosts for host in block} == {"127.0.0.11", "127.0.0.12"}
    rest.put(hadoop, "/tmp/twice", data, blocksize=1 << 20, replication=2)
    assert [sorted(block) for block in rest.block_hosts(hadoop, "/tmp/twice")] == [["127.0.0.11", "127.0.0.12"]] * 2


def test_hdfs_native_and_the_commands_find_it_by_the_environment(hadoop: Cluster) -> None:
    pytest.importorskip("hdfs_native")
    script = (
        "import fsspec; fs, path = fsspec.core.url_to_fs('hdfs:///tmp/native')\n"
        "with fs.open(path, 'wb') as f: f.write(b'hello')\n"
        "print(fs.cat(path))"
    )
    env = hadoop.variables()
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=60)
    assert done.stdout == "b'hello'\n", done.stderr
    listed = subprocess.run(["hdfs", "dfs", "-cat", "/tmp/native"], env=env, capture_output=True, text=True, timeout=60)
    assert listed.stdout == "hello", listed.stderr


def test_a_container_has_an_empty_home_and_its_log_is_kept(hadoop: Cluster) -> None:
    name, answer, text = rest.submit(hadoop, "echo home:$(ls -A ~ | wc -l) 1><LOG_DIR>/out", queue="ml")
    assert answer == 202, text
    rest.until(lambda: rest.app(hadoop, name)["state"] == "FAILED")  # for its master never registers
    done = subprocess.run(
        ["yarn", "logs", "-applicationId", name], env=hadoop.variables(), capture_output=True, text=True, timeout=60
    )
    assert "home:0" in done.stdout


def test_a_container_that_takes_more_memory_than_it_has_is_killed(hadoop: Cluster) -> None:
    # tail holds 400 MB and waits for a reader of its pipe
    name, answer, text = rest.submit(hadoop, "head -c 400M /dev/zero | tail | sleep 50", memory=128)
    assert answer == 202, text
    rest.until(lambda: rest.app(hadoop, name)["state"] == "FAILED")
    said = rest.app(hadoop, name)["diagnostics"]
    assert "128 MB physical memory used" in said
    assert "exitCode: -104" in said


def test_the_barred_queue_lets_nobody_in(hadoop: Cluster) -> None:
    _, answer, text = rest.submit(hadoop, "true", queue="barred")
    assert answer != 202
    assert "does not have permission to submit" in text


def test_the_closed_queue_takes_nothing(hadoop: Cluster) -> None:
    name, _, _ = rest.submit(hadoop, "true", queue="closed")
    rest.until(lambda: rest.app(hadoop, name)["state"] == "FAILED")
    assert "Queue root.closed is STOPPED" in rest.app(hadoop, name)["diagnostics"]


def test_up_again_changes_nothing_and_another_size_is_refused(hadoop: Cluster) -> None:
    before, said = processes(hadoop), list[str]()
    assert up(None, hadoop.layout.root, said.append) == hadoop
    assert said == ["already up, with 2 nodes"]
    assert processes(hadoop) == before
    with pytest.raises(UsageError, match=r"is up with 2 nodes, not 3; `yarnml cluster down` first"):
        up(3, hadoop.layout.root)


def test_a_daemon_that_died_is_started_again_and_only_it(hadoop: Cluster) -> None:
    rest.put(hadoop, "/tmp/kept", b"kept", blocksize=1 << 20, replication=2)
    before = processes(hadoop)
    for name in ("datanode-2", "nodemanager-1"):
        process = before[name]
        assert process is not None
        process.signal(signal.SIGKILL)
        end([process])
    assert command.status(hadoop.layout.root) == 1
    said: list[str] = []
    assert up(2, hadoop.layout.root, said.append) == hadoop
    assert said[:3] == ["4 of 6 daemons are there: mending", "starting datanode-2", "starting nodemanager-1"]
    after = processes(hadoop)
    assert {name for name in after if after[name] != before[name]} == {"datanode-2", "nodemanager-1"}
    assert None not in after.values()
    assert rest.get(hadoop, "/tmp/kept") == b"kept"


def test_a_second_cluster_moves_beside_the_first_and_leaves_nothing(hadoop: Cluster, tmp_path: Path) -> None:
    state = tmp_path / "second"
    try:
        # two at once make one cluster; and it is there after both have gone
        pair = [
            subprocess.Popen(
                [sys.executable, "-c", UP, state], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            for _ in range(2)
        ]
        said = [process.communicate(timeout=400)[0] for process in pair]
        assert [process.returncode for process in pair] == [0, 0], said
        assert sum("already up, with 1 node" in text for text in said) == 1
        second = running(state)
        assert second is not None
        assert len(list(find(second.layout.mark))) == 4
        assert not set(second.ports.values()) & set(hadoop.ports.values())
        rest.put(second, "/tmp/mine", b"second", blocksize=1 << 20)
        # a container that its NodeManager can't end any more
        rest.submit(second, "sleep 1000")
        rest.until(lambda: len(list(find("1000", second.layout.containers))) > 1)
        manager = processes(second)["nodemanager-1"]
        assert manager is not None
        manager.signal(signal.SIGKILL)

        assert down(state, keep=True) > 3
        assert not list(find(second.layout.mark, second.layout.containers))
        assert {path.name for path in state.iterdir()} == {"cluster.json", "hdfs"}
        again = up(None, state)
        assert again.ports == second.ports
        assert rest.get(again, "/tmp/mine") == b"second"

        assert down(state) == 4
        assert not state.exists()
    finally:
        down(state)  # what a failed assertion left
    assert not list(find(second.layout.mark, second.layout.containers))
    assert status(hadoop.layout.root).up  # type: ignore[union-attr]
