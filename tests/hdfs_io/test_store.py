"""Any store: listing, whole-or-absent output, mending, copies."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import fsspec
import pytest

from hdfs_io import (
    DataError,
    DataFile,
    copy,
    exists,
    join,
    list_files,
    mend,
    open_fs,
    read_text,
    remove,
    scan,
    whole,
    write_text,
)
from hdfs_io.listing import list_all
from hdfs_io.store import aside, rename
from hdfs_io.whole import present, refuse_unwritable

Put = Callable[[str, str | bytes], str]


def names(url: str) -> list[str]:
    return [file.url.rpartition("/")[2] for file in list_files(url)]


def everything(place: str) -> list[str]:
    """Every file below, hidden ones too."""
    fs, path = open_fs(place)
    return sorted(name.removeprefix(path).lstrip("/") for name in fs.find(path))


def test_listing_skips_what_is_hidden_or_half_copied(place: str, put: Put) -> None:
    for name in ("d/b", "d/a", "d/_SUCCESS", "d/.a.crc", "d/c._COPYING_", "d/sub/x", "d/_temporary/y", "d/.hidden/z"):
        put(name, "1")
    assert names(f"{place}/d") == ["a", "b", "x"]
    assert list_files(f"{place}/d/a")[0].size == 1
    assert [open_fs(file.url)[1] for file in list_files(f"{place}/d/b")] == [open_fs(f"{place}/d/b")[1]]


def test_globs(place: str, put: Put) -> None:
    for name in ("d/p-1.csv", "d/p-2.csv", "d/q-1.csv", "d/_p-3.csv", "e/p-9.csv"):
        put(name, "1")
    assert names(f"{place}/d/p-*.csv") == ["p-1.csv", "p-2.csv"]
    assert names(f"{place}/*") == ["p-1.csv", "p-2.csv", "q-1.csv", "p-9.csv"]


def test_names_with_blanks_and_other_letters(place: str, put: Put) -> None:
    url = put("ein Ordner/größe [1] #2.libsvm", "1 1:1\n")
    assert list_files(url) == [DataFile(list_files(f"{place}/ein Ordner")[0].url, 6)]
    assert read_text(list_files(url)[0].url) == "1 1:1\n"


def test_what_is_missing_is_said_with_what_is_near(place: str, put: Put) -> None:
    put("train.csv", "1")
    with pytest.raises(DataError, match=r"train\.cvs: no such file or directory; did you mean 'train\.csv'\?"):
        list_files(f"{place}/train.cvs")
    with pytest.raises(DataError, match=r"its directory .* doesn't exist"):
        list_files(f"{place}/nowhere/train.csv")
    put("d/_SUCCESS", "")
    with pytest.raises(DataError, match="holds no data file"):
        list_files(f"{place}/d")
    with pytest.raises(DataError, match="no way to reach this store"):
        list_files("nosuchstore://a/b")


def test_text_is_replaced(place: str) -> None:
    url = join(place, "a/run.json")
    write_text(url, "1")
    write_text(url, "ü2")
    assert read_text(url) == "ü2"
    assert everything(place) == ["a/run.json"]
    remove(url)
    remove(url)
    assert not exists(url)
    with pytest.raises(DataError, match="no such file"):
        read_text(url)


def crash(url: str, inner: str) -> None:
    """A writer that fails after a part."""
    with whole(url, overwrite=True) as staging:
        write_text(staging + inner, "new")
        raise ValueError("crash")


def test_whole_appears_at_its_end(place: str) -> None:
    url = join(place, "out")
    with whole(url) as staging:
        write_text(join(staging, "part-0"), "1")
        assert not exists(url)
    assert everything(place) == ["out/part-0"]


def test_whole_leaves_nothing_after_an_error(place: str) -> None:
    url = join(place, "out")
    with pytest.raises(ValueError, match="crash"):
        crash(url, "/part-0")
    with pytest.raises(DataError, match="nothing was written"), whole(url):
        pass
    assert everything(place) == []


def test_what_cannot_be_tidied_up_hides_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where another process still writes into the same directory."""

    def rm(self: Any, path: str, recursive: bool = False) -> None:
        raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)

    monkeypatch.setattr(fsspec.implementations.local.LocalFileSystem, "rm", rm)

    def write() -> None:
        with whole(str(tmp_path / "out")) as url:
            Path(url).mkdir()
            raise DataError("the first error")

    with pytest.raises(DataError, match="the first error"):
        write()


def test_whole_refuses_what_exists(place: str, put: Put) -> None:
    url = put("out/part-0", "old").rpartition("/")[0]
    with pytest.raises(DataError, match="out: exists already"), whole(url):
        pass
    assert read_text(join(url, "part-0")) == "old"


@pytest.mark.parametrize("name", ["out/part-0", "out"])
def test_overwrite_keeps_the_old_until_the_new_stands(place: str, put: Put, name: str) -> None:
    put(name, "old")
    url, inner = join(place, "out"), name.removeprefix("out")
    with pytest.raises(ValueError, match="crash"):
        crash(url, inner)
    assert read_text(url + inner) == "old"
    with whole(url, overwrite=True) as staging:
        write_text(staging + inner, "new")
        assert read_text(url + inner) == "old"
    assert read_text(url + inner) == "new"
    assert everything(place) == [name]


def test_mend_brings_the_old_one_back(place: str, put: Put) -> None:
    """The crash came between the two renames."""
    put("out/part-0", "old")
    fs, path = open_fs(f"{place}/out")
    rename(fs, path, aside(path))
    assert mend(f"{place}/out")
    assert not mend(f"{place}/out")
    assert everything(place) == ["out/part-0"]


def test_mend_removes_the_old_one_where_the_new_one_stands(place: str, put: Put) -> None:
    """The crash came after the second rename. The next writer mends, too."""
    put("out/part-0", "new")
    put(".out.yarnml-old/part-0", "old")
    with whole(f"{place}/out", overwrite=True) as staging:
        assert everything(place) == ["out/part-0"]
        write_text(join(staging, "part-0"), "newer")
    assert read_text(f"{place}/out/part-0") == "newer"


def test_a_rename_that_only_returns_false_is_noticed(put: Put) -> None:
    class Lazy(fsspec.implementations.memory.MemoryFileSystem):  # type: ignore[misc]
        def mv(self, *_: object, **__: object) -> bool:
            return False

    fs = Lazy()
    fs.pipe_file("/lazy/a", b"1")
    with pytest.raises(DataError, match=r"renaming .* failed"):
        rename(fs, "/lazy/a", "/lazy/b")


def test_copy_between_stores_is_whole_and_tells_progress(place: str, put: Put) -> None:
    put("d/a", b"1" * 10)
    put("d/sub/b", b"2" * 5)
    told: list[tuple[int, int]] = []
    assert copy(f"{place}/d", "memory://copied/d", lambda done, total: told.append((done, total))) == 15
    try:
        assert told[-1] == (15, 15)
        assert everything("memory://copied/d") == ["a", "sub/b"]
        assert copy("memory://copied/d/a", f"{place}/e/") == 10
        assert everything(f"{place}/e") == ["a"]
        with pytest.raises(DataError, match="exists already"):
            copy("memory://copied/d/a", f"{place}/e/a")
    finally:
        remove("memory://copied")


def test_copy_of_many_files_is_whole_or_absent(place: str, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    for k in range(50):
        put(f"d/{k % 3}/{k}", b"x" * k)
    assert copy(f"{place}/d", f"{place}/e") == sum(range(50))
    assert everything(f"{place}/e") == everything(f"{place}/d")
    module = import_module("hdfs_io.look")
    one = module._copy_file

    def fails(source: Any, name: str, *rest: Any) -> None:
        if name.endswith("/31"):
            raise DataError("the disk is full")
        one(source, name, *rest)

    monkeypatch.setattr(module, "_copy_file", fails)
    with pytest.raises(DataError, match="full"):
        copy(f"{place}/d", f"{place}/f")
    assert everything(place) == sorted([*(f"d/{k % 3}/{k}" for k in range(50)), *(f"e/{k % 3}/{k}" for k in range(50))])


def test_a_reader_mends_too(place: str, put: Put) -> None:
    put(".d.yarnml-old-1-ab/part-0", "1")
    put(".d.yarnml-old-2-cd/part-0", "22")
    assert [file.size for file in list_files(f"{place}/d")] == [2]
    assert present(f"{place}/d")
    assert not present(f"{place}/e")
    assert everything(place) == ["d/part-0"]


@pytest.mark.parametrize("name", ["out/part-0", "out"])
def test_what_appears_meanwhile_is_not_replaced(place: str, put: Put, name: str) -> None:
    url, inner = join(place, "out"), name.removeprefix("out")

    def late() -> None:
        with whole(url) as staging:
            write_text(staging + inner, "mine")
            put(name, "another's")

    with pytest.raises(DataError, match="exists now, though it didn't at the start"):
        late()
    assert everything(place) == [name]
    assert read_text(url + inner) == "another's"


def test_writers_at_the_same_time_leave_one_of_theirs(tmp_path: Path) -> None:
    url = str(tmp_path / "out")
    seen = set[str]()

    def write(writer: int) -> None:
        for _ in range(20):
            with whole(url, overwrite=True) as staging:
                for part in "ab":
                    write_text(join(staging, part), str(writer))
            with suppress(DataError):  # replaced between the two looks
                seen.update(Path(file.url).name for file in list_files(url))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert seen == {"a", "b"}
    assert everything(url) == ["a", "b"]
    assert read_text(join(url, "a")) == read_text(join(url, "b"))
    assert os.listdir(tmp_path) == ["out"]


def test_a_place_that_cant_be_written_is_refused_and_nothing_is_left(place: str, put: Put) -> None:
    refuse_unwritable(join(place, "deep/er/out"))
    assert everything(place) == []
    put("file", "1")
    with pytest.raises(DataError, match="is a file, not a directory"):
        refuse_unwritable(join(place, "file/out"))
    with pytest.raises(DataError, match=r"^/proc/out: can't be written: "):
        refuse_unwritable("/proc/out")
    with pytest.raises(DataError, match=r"^/proc/out: can't be written: "), whole("/proc/out") as staging:
        write_text(staging, "1")


def test_a_full_disk_is_said_in_one_line(tmp_path: Path) -> None:
    url = str(tmp_path / "out")
    with pytest.raises(DataError, match=r"out: can't be written: No space left on device"), whole(url):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(OSError, match="other"), whole(url):
        raise OSError(errno.EIO, os.strerror(errno.EIO), "/other")


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    data = tmp_path / "d"
    (data / "sub").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    for file in (data / "a", data / "sub" / "b", tmp_path / "elsewhere" / "c"):
        file.write_text("1 1:1\n")
    (data / "linked").symlink_to(tmp_path / "elsewhere")
    (data / "file").symlink_to(data / "a")
    (data / "dangling").symlink_to("nothing")
    (data / "circle").symlink_to(data)
    (data / "loop").symlink_to("loop")
    os.mkfifo(data / "pipe")
    found = list_all(str(data))
    assert [Path(file.url).relative_to(data).as_posix() for file in found.files] == ["a", "file", "linked/c", "sub/b"]
    assert [file.size for file in found.files] == [6] * 4
    for note, (name, why) in zip(
        found.notes,
        [("circle", "lies in"), ("dangling", "No such file"), ("loop", "symbolic links"), ("pipe", "neither")],
        strict=True,
    ):
        assert note.startswith(f"{data / name}: skipped, ")
        assert why in note
    assert set(found.notes) <= set(scan(str(data), label="class").notes)
    with pytest.raises(DataError, match=r"no such file or directory; .*pipe: skipped, neither"):
        list_files(str(data / "pipe"))
    (data / "dangling").unlink()
    with pytest.raises(DataError, match="did you mean") as caught:
        list_files(str(data / "linkde"))
    assert "'linked'" in str(caught.value)


def test_hdfs_without_its_package_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hdfs_native", None)
    with pytest.raises(
        DataError, match=r"^hdfs://nohost:1: HDFS needs the package hdfs-native .*; pip install"
    ) as caught:
        list_files("hdfs://nohost:1/x")
    assert "\n" not in str(caught.value)
