"""Hadoop's REST interfaces, as far as tests need them."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from yarnml.cluster import Cluster


def call(url: str, method: str = "GET", body: bytes | None = None) -> tuple[int, bytes]:
    """Status and body, the body of an error too."""
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def read(url: str) -> Any:
    status, body = call(url)
    assert status == 200, body
    return json.loads(body)


def put(cluster: Cluster, path: str, data: bytes, *, blocksize: int, replication: int = 1) -> None:
    """Write a file by WebHDFS: the NameNode names a DataNode, which takes the bytes."""
    query = f"op=CREATE&noredirect=true&overwrite=true&blocksize={blocksize}&replication={replication}"
    status, body = call(f"{cluster.webhdfs}/webhdfs/v1{path}?{query}&user.name={cluster.conf.user}", "PUT")
    assert status == 200, body
    status, body = call(json.loads(body)["Location"], "PUT", data)
    assert status == 201, body


def get(cluster: Cluster, path: str) -> bytes:
    status, body = call(f"{cluster.webhdfs}/webhdfs/v1{path}?op=OPEN")
    assert status == 200, body
    return body


def block_hosts(cluster: Cluster, path: str) -> list[list[str]]:
    """The hosts of each block of a file."""
    found = read(f"{cluster.webhdfs}/webhdfs/v1{path}?op=GETFILEBLOCKLOCATIONS")
    return [block["hosts"] for block in found["BlockLocations"]["BlockLocation"]]


def submit(cluster: Cluster, command: str, *, queue: str = "default", memory: int = 128) -> tuple[str, int, str]:
    """Ask for an application of one container: its id, the answer's status and its text."""
    apps = f"{cluster.resourcemanager}/ws/v1/cluster/apps"
    user = f"?user.name={cluster.conf.user}"
    _, body = call(f"{apps}/new-application{user}", "POST")
    name = json.loads(body)["application-id"]
    asked = {
        "application-id": name, "application-name": "test", "queue": queue, "max-app-attempts": 1,
        "am-container-spec": {"commands": {"command": command}}, "resource": {"memory": memory, "vCores": 1},
    }  # fmt: skip
    status, text = call(f"{apps}{user}", "POST", json.dumps(asked).encode())
    return name, status, text.decode()


def app(cluster: Cluster, name: str) -> dict[str, Any]:
    return dict(read(f"{cluster.resourcemanager}/ws/v1/cluster/apps/{name}")["app"])


def until(condition: Callable[[], Any], seconds: float = 60) -> Any:
    """What `condition` is once it is true."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.1)
    return value
