"""What is packed, under which name, and where archives are kept."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.launch.elves import elf
from tests.launch.installed import needs_installed
from tests.launch.unpack import unpack
from yarnml.cli.env import main as env
from yarnml.errors import UsageError
from yarnml.launch.env import archive, packages, remove_old, shelf, stock
from yarnml.launch.env.entry import Entry, below, digest
from yarnml.launch.env.pack import Pack
from yarnml.launch.env.prune import runs, runs_stdlib
from yarnml.launch.env.python import home, stdlib
from yarnml.launch.env.shelf import built, send
from yarnml.launch.yarn import site


@pytest.mark.parametrize(
    "name",
    [
        "numpy/__init__.py",
        "numpy/_core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so",
        "numpy/testing/__init__.py",
        "numpy-2.0.dist-info/METADATA",
        "numpy.libs/libopenblas.so.0",
        "pyarrow/fs.py",
        "pyarrow/_fs.cpython-311-x86_64-linux-gnu.so",
        "scipy/stats/_sobol_direction_numbers.npz",
        "typing_extensions.py",
    ],
)
def test_what_runs_is_packed(name: str) -> None:
    assert runs(name)


@pytest.mark.parametrize(
    "name",
    [
        "../../../bin/f2py",
        "numpy/tests/test_matlib.py",
        "numpy/__pycache__/matlib.cpython-311.pyc",
        "numpy/_core/include/numpy/arrayobject.h",
        "numpy/__init__.pyi",
        "numpy-2.0.dist-info/RECORD",
        "pyarrow/_flight.cpython-311-x86_64-linux-gnu.so",
        "pyarrow/flight.py",
        "pyarrow/src/arrow/python/api.h",
    ],
)
def test_what_does_not_run_is_left_out(name: str) -> None:
    assert not runs(name)


def test_of_the_standard_library_windows_installers_and_tests_stay_behind() -> None:
    assert all(map(runs_stdlib, ["os.py", "lib-dynload/_ssl.cpython-311-x86_64-linux-gnu.so", "unittest/case.py"]))
    left = [
        "test/test_os.py",
        "tkinter/ttk.py",
        "ensurepip/__init__.py",
        "config-3.11-x86_64-linux-gnu/libpython3.11.a",
    ]
    left += ["lib-dynload/_tkinter.cpython-311-x86_64-linux-gnu.so", "lib-dynload/_testcapi.cpython-311.so"]
    left += ["site-packages/pip/__init__.py", "ctypes/test/test_cfuncs.py", "turtle.py"]
    assert not any(map(runs_stdlib, left))


def test_the_standard_library_is_found_where_this_python_has_it() -> None:
    names = {entry.name for entry in stdlib()}
    assert {f"{home()}/os.py", f"{home()}/encodings/utf_8.py"} <= names
    assert not [name for name in names if "site-packages" in name or "__pycache__" in name]


@needs_installed
def test_the_closure_holds_what_runs_and_nothing_of_the_tests() -> None:
    names = {dist.name.lower() for dist in packages.needed()}
    assert {"numpy", "scipy", "numba", "llvmlite", "pyarrow", "pyzmq", "fsspec", "rich", "pygments"} <= names
    assert not names & {"pytest", "mypy", "ruff", "pip", "setuptools", "pandas", "scikit-learn", "yarnml"}
    assert not names & {"skein", "grpcio", "protobuf", "cryptography", "cffi"}  # for submitting


@needs_installed
def test_the_working_tree_is_what_is_sent() -> None:
    names = {entry.name for entry in packages.own()}
    assert {"yarnml/launch/role.py", "hdfs_io/store.py", "yarnml_apps/mlr/app.py", "yarnml_conf/local.yaml"} <= names
    assert not [name for name in names if name.endswith((".pyc", ".nbi"))]


def test_copies_of_libraries_and_those_that_nothing_links_to_go(tmp_path: Path) -> None:
    def put(name: str, *needed: str) -> Entry:
        file = tmp_path / name
        file.write_bytes(elf(needed))
        return Entry(f"arrow/{name}", file)

    kept = [put("lib.cpython-311-x86_64-linux-gnu.so", "libarrow.so.20"), put("libarrow.so.20", "libutf.so.1")]
    kept += [put("libutf.so.1"), put("libllvmlite.so")]
    unused = [put("libarrow.so"), put("libarrow.so.20.1"), put("libflight.so.20", "libgrpc.so.1"), put("libgrpc.so.1")]
    assert packages.without_twins([*kept, *unused]) == kept


def test_a_hash_is_the_same_for_the_same_and_another_for_any_change(tmp_path: Path) -> None:
    file = tmp_path / "a b é.py"
    file.write_text("x = 1")
    one = [Entry("a.py", file), Entry("b.py", file)]
    first = digest(one, "1")
    assert digest(reversed(one), "1") == first
    assert digest(one, "2") != first
    assert digest(one[:1], "1") != first
    assert digest([Entry("c.py", file), one[1]], "1") != first
    os.utime(file, ns=(5, 5))
    assert digest(one, "1") != first


def test_a_hash_by_content_does_not_see_times(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 1")
    first = digest([Entry("a.py", file)], contents=True)
    os.utime(file, ns=(5, 5))
    assert digest([Entry("a.py", file)], contents=True) == first
    file.write_text("x = 2")
    os.utime(file, ns=(5, 5))
    assert digest([Entry("a.py", file)], contents=True) != first


def test_a_folder_is_taken_without_caches_and_hidden_files(tmp_path: Path) -> None:
    for name in ("app.py", "sub dir/é.py", ".git/config", "__pycache__/app.pyc", "sub dir/.hidden"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert [entry.name for entry in below(tmp_path, "my app")] == ["my app/app.py", "my app/sub dir/é.py"]


def test_an_archive_holds_all_and_is_the_same_each_time(tmp_path: Path) -> None:
    root = tmp_path / "tréé"
    (root / "sub").mkdir(parents=True)
    (root / "sub/large").write_bytes(os.urandom(3 * archive.BLOCK))
    (root / "é.py").write_text("x = 1")
    (root / "run").write_text("#!/bin/sh")
    (root / "run").chmod(0o755)
    archive.write(root, tmp_path / "a.tar.gz")
    os.utime(root / "é.py", (1, 1))
    archive.write(root, tmp_path / "b.tar.gz")
    assert (tmp_path / "a.tar.gz").read_bytes() == (tmp_path / "b.tar.gz").read_bytes()
    unpack(tmp_path / "a.tar.gz", tmp_path / "out")
    assert (tmp_path / "out/sub/large").read_bytes() == (root / "sub/large").read_bytes()
    assert (tmp_path / "out/é.py").read_text() == "x = 1"
    assert os.access(tmp_path / "out/run", os.X_OK)


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    file = tmp_path / "module.py"
    file.write_text("x = 1")
    return Pack("code", (Entry("module.py", file),), by_content=True)


def test_an_archive_is_sent_once(pack: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cäche dir"))
    home, said = str(tmp_path / "höme dir"), list[str]()
    url, sent = send(pack, home, said.append)
    assert url == f"{shelf(home)}/{pack.archive}"
    assert sent == Path(url).stat().st_size > 0
    assert send(pack, home, said.append) == (url, 0)
    assert len([line for line in said if line.startswith("sending")]) == 1
    assert [file.name for file in Path(shelf(home)).iterdir()] == [pack.archive]


def test_a_pack_that_can_not_be_finished_leaves_nothing(pack: Pack, tmp_path: Path) -> None:
    def fail(root: Path) -> None:
        raise RuntimeError(root.name)

    with pytest.raises(RuntimeError):
        built(Pack("code", pack.entries, finish=fail), tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


def test_files_that_change_meanwhile_are_not_packed_under_an_old_name(pack: Pack, tmp_path: Path) -> None:
    assert pack.hash
    pack.entries[0].source.write_text("x = 2")
    with pytest.raises(UsageError, match="changed while they were packed"):
        built(pack, tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


def test_old_archives_and_folders_of_wheels_go_by_kind_and_age(tmp_path: Path) -> None:
    for age, name in enumerate(["env-a.tar.gz", "code-a.tar.gz", "env-b.tar.gz", "wheels-a", "code-b.tgz", "wheels-b"]):
        item = tmp_path / name
        if name.startswith("wheels"):
            item.mkdir()
            (item / "module.py").write_text("x = 1")
        else:
            item.write_text("12")
        os.utime(item, (1e9 - age, 1e9 - age))
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / ".env-scratch").mkdir()
    assert [(item.name, item.size) for item in stock(str(tmp_path))][2:4] == [("env-b.tar.gz", 2), ("wheels-a", 5)]
    assert remove_old(str(tmp_path), 2) == []
    assert [item.name for item in remove_old(str(tmp_path), 1)] == ["env-b.tar.gz", "code-b.tgz", "wheels-b"]
    left = {".env-scratch", "code-a.tar.gz", "env-a.tar.gz", "notes.txt", "wheels-a"}
    assert {file.name for file in tmp_path.iterdir()} == left
    assert remove_old(str(tmp_path / "absent"), 1) == []


def test_env_lists_and_cleans_the_shelf_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(site, "default_home", lambda: None)
    folder = tmp_path / "yarnml" / "env"
    folder.mkdir(parents=True)
    for age, name in enumerate(["env-a.tar.gz", "env-b.tar.gz"]):
        (folder / name).write_bytes(bytes(2_000_000))
        os.utime(folder / name, (1e9 - age, 1e9 - age))
    assert env(["list"]) == 0
    assert re.search(r"2 items, 4\.0 MB\n  env-a.tar.gz +2\.0 MB  2001", capsys.readouterr().out)
    assert env(["clean", "--dry-run"]) == 0
    assert "1 item, 2.0 MB would be removed\n  env-b" in capsys.readouterr().out
    assert len(list(folder.iterdir())) == 2
    assert env(["clean"]) == 0
    assert [file.name for file in folder.iterdir()] == ["env-a.tar.gz"]
    with pytest.raises(UsageError, match="did you mean 'clean'"):
        env(["claen"])
