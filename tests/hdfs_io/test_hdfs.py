"""HDFS itself: by any of its names, whole or not at all, and what is wrong in one line with an address."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from hdfs_io import (
    DataError,
    Stretch,
    block_hosts,
    exists,
    join,
    list_files,
    load,
    open_fs,
    read_text,
    remove,
    scan,
    whole,
    write_text,
)
from yarnml.cluster import Cluster

pytest.importorskip("hdfs_native")
real = [pytest.mark.hadoop, pytest.mark.timeout(600)]


@pytest.fixture
def place(hadoop: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A directory in the default file system."""
    for name, value in hadoop.variables().items():
        monkeypatch.setenv(name, value)
    url = f"hdfs:///tmp/{uuid4().hex}"
    yield url
    remove(url)


def names(url: str) -> list[str]:
    fs, path = open_fs(url)
    return sorted(name.rpartition("/")[2] for name in fs.find(path))


class TestReal:
    pytestmark = real

    def test_one_file_by_all_its_names(self, hadoop: Cluster, place: str) -> None:
        write_text(join(place, "größe #1/a?b"), "hello")
        path = f"{place.removeprefix('hdfs://')}/größe #1/a?b"
        assert read_text(f"hdfs://{path}") == read_text(f"{hadoop.hdfs}{path}") == "hello"
        [file] = list_files(join(place, "größe #1"))
        assert (file.size, read_text(file.url)) == (5, "hello")

    def test_a_host_without_a_port_has_the_usual_one(self, hadoop: Cluster, place: str) -> None:
        if not hadoop.hdfs.endswith(":8020"):
            pytest.skip("port 8020 was taken")
        write_text(join(place, "x"), "1")
        assert exists(f"hdfs://localhost{place.removeprefix('hdfs://')}/x")

    def test_text_is_replaced_at_once_and_grows_by_appending(self, place: str) -> None:
        for text in ("old\n", "new\n"):
            write_text(join(place, "t"), text)
        fs, path = open_fs(join(place, "t"))
        with fs.open(path, "ab") as file:
            file.write(b"more\n")
        assert read_text(join(place, "t")) == "new\nmore\n"
        with fs.open(f"{path}-fresh", "ab") as file:
            file.write(b"first\n")
        assert fs.cat_file(f"{path}-fresh", start=2, end=5) == b"rst"
        assert names(place) == ["t", "t-fresh"]

    def test_what_fails_while_it_is_written_is_not_there(self, place: str) -> None:
        url = join(place, "set")

        def write(text: bytes, fail: bool) -> None:
            with whole(url, overwrite=True) as staging:
                fs, path = open_fs(join(staging, "part-0"))
                with fs.open(path, "wb") as file:
                    file.write(text)
                    if fail:
                        raise KeyError(text)

        with pytest.raises(KeyError):
            write(b"half", fail=True)
        assert not exists(url)
        write(b"one", fail=False)
        with pytest.raises(KeyError):
            write(b"half", fail=True)
        assert names(place) == ["part-0"]
        assert read_text(join(url, "part-0")) == "one"
        write(b"two", fail=False)
        assert read_text(join(url, "part-0")) == "two"
        with pytest.raises(DataError, match="exists already"), whole(url):
            pass

    def test_a_renaming_that_is_refused_is_an_error(self, place: str) -> None:
        for name in ("a", "b"):
            write_text(join(place, name), name)
        fs, path = open_fs(place)
        with pytest.raises(FileExistsError, match=f"{place}/b: exists already"):
            fs.mv(f"{path}/a", f"{path}/b")
        assert read_text(join(place, "b")) == "b"

    def test_rows_are_read_as_from_a_disk(self, place: str, tmp_path: Path) -> None:
        text = "".join(f"{i % 2} 1:{i} 7:{i / 4}\n" for i in range(5000))
        (tmp_path / "d").write_text(text)
        write_text(join(place, "d"), text)
        here, there = (scan(url, label="class") for url in (str(tmp_path / "d"), join(place, "d")))
        assert here.rows == there.rows == 5000
        for lo, hi in ((0, 5000), (1234, 1300)):
            mine, other = load(here, lo, hi), load(there, lo, hi)
            assert (mine.X.to_scipy() != other.X.to_scipy()).nnz == 0  # type: ignore[union-attr]
            assert mine.y.tolist() == other.y.tolist()  # type: ignore[union-attr]

    def test_what_is_missing_or_forbidden_is_said_in_one_line(
        self, place: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_text(join(place, "train.csv"), "1\n")
        with pytest.raises(DataError, match=f"{place}/trian.csv: no such file or directory; did you mean 'train.csv'"):
            list_files(join(place, "trian.csv"))
        said = r"not allowed: Permission denied: user=alice, access=WRITE"
        with monkeypatch.context() as as_alice:
            as_alice.setenv("HADOOP_USER_NAME", "alice")
            with pytest.raises(DataError, match=said) as caught:
                write_text(join(place, "x"), "1")
        assert "\n" not in str(caught.value)
        assert "FSPermissionChecker" not in str(caught.value)

    def test_blocks_lie_where_webhdfs_says(self, hadoop: Cluster, place: str) -> None:
        write_text(join(place, "b"), "x" * 1000)
        [first, last, none] = block_hosts(join(place, "b"), [(0, 400), (400, 1000), (2000, 3000)])
        assert first.size == first.hosts.total() == 400
        assert last.size == last.hosts.total() == 600
        assert set(first.hosts) <= {"127.0.0.11", "127.0.0.12"}
        assert none == Stretch()


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    return tmp_path


def test_a_namenode_that_is_not_there_is_named_soon(nowhere: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        start = time.monotonic()
        with pytest.raises(DataError, match=rf"no NameNode answers at 127\.0\.0\.1:{port} \(Connection refused\)"):
            exists(f"hdfs://127.0.0.1:{port}/x")
        assert time.monotonic() - start < 10


def test_a_host_that_says_nothing_is_named_within_ten_seconds(nowhere: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        port = mute.getsockname()[1]
        start = time.monotonic()
        with pytest.raises(DataError, match=rf"127\.0\.0\.1:{port} gave no answer within 6 s"):
            exists(f"hdfs://127.0.0.1:{port}/x")
        assert time.monotonic() - start < 10


def test_the_default_file_system_needs_a_configuration(nowhere: Path) -> None:
    with pytest.raises(DataError, match=r"default file system, but fs\.defaultFS is not set"):
        exists("hdfs:///x")


def test_a_nameservice_is_tried_at_all_its_namenodes(nowhere: Path) -> None:
    conf = {
        "fs.defaultFS": "hdfs://Big",
        "dfs.nameservices": "Big",
        "dfs.ha.namenodes.Big": "a,b",
        "dfs.namenode.rpc-address.Big.a": "127.0.0.1:1",
        "dfs.namenode.rpc-address.Big.b": "127.0.0.1:2",
    }
    pairs = "".join(f"<property><name>{k}</name><value>{v}</value></property>" for k, v in conf.items())
    (nowhere / "core-site.xml").write_text(f"<configuration>{pairs}</configuration>")
    for url in ("hdfs://Big/x", "hdfs:///x"):
        with pytest.raises(DataError, match=r"hdfs://Big: no NameNode answers at 127\.0\.0\.1:1, 127\.0\.0\.1:2"):
            exists(url)
