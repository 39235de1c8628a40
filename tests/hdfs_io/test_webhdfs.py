"""HDFS over HTTP: the same files as by RPC, written whole, and what is wrong said in one line."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from uuid import uuid4

import pyarrow as pa
import pytest

from hdfs_io import (
    DataError,
    exists,
    head,
    join,
    list_files,
    load,
    open_fs,
    open_writer,
    read_text,
    remove,
    scan,
    whole,
)
from hdfs_io import write_text as write
from yarnml.cluster import Cluster

CSV = "a,y\n1,0\n2,1\n"


@pytest.fixture
def both(hadoop: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """One directory by WebHDFS and by RPC."""
    for name, value in hadoop.variables().items():
        monkeypatch.setenv(name, value)
    path = f"/tmp/{uuid4().hex}"
    yield f"web{hadoop.webhdfs.replace('http', 'hdfs')}{path}", f"{hadoop.hdfs}{path}"
    remove(f"{hadoop.hdfs}{path}")


@pytest.mark.hadoop
class TestReal:
    def test_what_one_writes_the_other_reads(self, both: tuple[str, str]) -> None:
        web, rpc = both
        for one, other in ((web, rpc), (rpc, web)):
            url = join(one, "a b/größe 100%/k=v?#&+;.csv")
            for text in ("old", CSV):
                write(url, text)
            there = join(other, "a b/größe 100%/k=v?#&+;.csv")
            assert read_text(there) == CSV
            assert scan(join(other, "a b"), label="class").rows == 2
            [file] = list_files(join(other, "a b/*"))
            assert (file.url, file.size) == (there, len(CSV))
            remove(join(one, "a b"))
            assert not exists(there)

    def test_a_data_set_is_whole_or_absent(self, both: tuple[str, str]) -> None:
        web, rpc = both
        url = join(web, "out")

        def put(k: int, fail: bool = False) -> None:
            with whole(url, overwrite=True) as staging:
                with open_writer(join(staging, "part-0.parquet")) as writer:
                    writer.write(pa.table({"k": [k] * 3}))
                if fail:
                    raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            put(1, fail=True)
        assert not exists(url)
        put(2)
        put(3)
        assert head(join(rpc, "out"))["k"].to_pylist() == [3, 3, 3]
        assert [file.url for file in list_files(web)] == [join(url, "part-0.parquet")]

    def test_text_grows_by_appending_and_spans_are_read(self, both: tuple[str, str]) -> None:
        web, _ = both
        url = join(web, "t")
        fs, path = open_fs(url)
        for text in (b"first\n", b"more\n"):
            with fs.open(path, "ab") as file:
                file.write(text)
        assert read_text(url) == "first\nmore\n"
        assert fs.cat_file(path, start=2, end=8) == b"rst\nmo"

    def test_what_is_missing_or_in_the_way_is_said(self, both: tuple[str, str]) -> None:
        web, _ = both
        write(join(web, "train.csv"), CSV)
        with pytest.raises(DataError, match=r"train\.cvs: no such file or directory; did you mean 'train\.csv'"):
            list_files(join(web, "train.cvs"))
        fs, path = open_fs(web)
        with pytest.raises(FileNotFoundError, match=f"{web}/nix: "):
            fs.open(f"{path}/nix")
        with pytest.raises(FileExistsError, match=f"{web}/train.csv: Path is not a directory"):
            write(join(web, "train.csv/x"), "")

    def test_a_file_that_changed_is_no_short_read(self, both: tuple[str, str]) -> None:
        web, _ = both
        write(join(web, "t.csv"), CSV)
        dataset = scan(join(web, "t.csv"), label="class")
        write(join(web, "t.csv"), "a,y\n1,0\n")
        with pytest.raises(DataError, match="changed"):
            load(dataset, 0, 2)


def test_nobody_there_is_said_in_one_line() -> None:
    with pytest.raises(DataError, match=r"webhdfs://localhost:1/tmp: no answer over HTTP \(.*refused"):
        list_files("webhdfs://localhost:1/tmp")
    with pytest.raises(DataError, match="name the host and the web port"):
        list_files("webhdfs:///tmp")


def test_a_web_server_that_is_no_namenode_is_said() -> None:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the standard library's name)
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Other) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with pytest.raises(DataError, match="HTTP answers 404"):
                list_files(f"webhdfs://127.0.0.1:{server.server_port}/tmp")
        finally:
            server.shutdown()
            thread.join()
