"""The real thing: this Python is packed, sent, unpacked elsewhere and runs where nothing else of it is."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

import fsspec
import pytest

import yarnml
from tests.launch.installed import needs_installed
from tests.launch.unpack import unpack
from yarnml.errors import UsageError
from yarnml.launch.env import Resource, Shipment, Wish, plan

CHECKOUT = Path(yarnml.__file__).parents[1]
LIBRARIES = ("libssl.so.3", "libcrypto.so.3", "libffi.so.8", "libsqlite3.so.0", "libz.so.1", "libstdc++.so.6")


def test_a_command_leads_python_nowhere_else() -> None:
    shipment = Shipment("env/my py/bin/python", ("code", "py"), None, (), 0)
    line = shipment.command("-c", "import sys; print(*sys.argv[1:], sys.flags.safe_path)", "a b", "$HOME")
    assert "exec 'env/my py/bin/python' -c" in line
    done = subprocess.run(
        ["/bin/sh", "-c", line.replace("'env/my py/bin/python'", shlex.quote(sys.executable))],
        capture_output=True,
        text=True,
        env={"PYTHONHOME": "/nonexistent"},
        check=True,
    )
    assert done.stdout == "a b $HOME True\n"


@needs_installed
def test_a_given_tarball_is_sent_once_or_taken_where_it_lies(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "py.tgz", "w:gz") as tar:
        tar.addfile(tarfile.TarInfo("x/bin/python"))
    wish = Wish(env=str(tmp_path / "py.tgz"))
    there = plan(wish).send(str(tmp_path / "home"), say=lambda line: None)
    assert there.python == "env/x/bin/python"
    assert Resource("env", str(tmp_path / "py.tgz"), archive=True) in there.resources
    elsewhere = plan(wish).send("memory://home", say=lambda line: None)
    (env,) = [resource for resource in elsewhere.resources if resource.name == "env"]
    assert env.url.startswith("memory://home/.yarnml/env/given-")
    assert env.url.endswith(".tgz")
    assert elsewhere.sent > 0
    assert plan(wish).send("memory://home").sent == 0


@needs_installed
def test_files_come_from_here_or_from_the_clusters_store(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("")
    with fsspec.open("memory://elsewhere/x.txt", "w") as file:
        file.write("x")
    wish = Wish(env="/opt/py", files=(str(tmp_path / "words.txt"), "memory://elsewhere/x.txt"))
    there = plan(wish).send("memory://home", say=lambda line: None)
    assert [resource.url for resource in there.resources[1:]] == [*wish.files]
    with pytest.raises(UsageError, match="yarnml data copy brings it"):
        plan(wish).send(str(tmp_path / "home"), say=lambda line: None)


@needs_installed
def test_a_private_app_travels_under_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "my äpp").mkdir()
    (tmp_path / "my äpp/app.py").write_text("")
    planned = plan(Wish(env="/opt/py", app=str(tmp_path / "my äpp")))
    assert planned.app == "app/my äpp"
    assert planned.python == "/opt/py/bin/python"
    assert [name for name, _ in planned.parcels] == ["code", "app"]
    with pytest.raises(UsageError, match=r"with an app\.py"):
        plan(Wish(env="/opt/py", app=str(tmp_path)))


@needs_installed
@pytest.mark.timeout(600)
def test_it_runs_where_nothing_of_ours_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    helper = tmp_path / "helper.py"
    helper.write_text(
        "import ssl, sqlite3, lzma, bz2, uuid, numpy, scipy.sparse, pyarrow.parquet, zmq\nprint('all there')"
    )
    shipment = plan(Wish(py_files=(str(helper),))).send(str(tmp_path / "home"))
    container = tmp_path / "container öf 1"
    for resource in shipment.resources:
        unpack(resource.url, container / resource.name)
    rows = "".join(f"{i % 2} 1:{i % 7} 2:{(i * i) % 5}\n" for i in range(200))
    (container / "train.libsvm").write_text(rows)

    assert "all there" in alone(shipment.command("-m", "helper"), container)
    run = ("-m", "yarnml", "run", "mlr", "--data", "train.libsvm", "--epochs", "1", "--runs", "runs", "--workers", "2")
    assert "accuracy" in alone(shipment.command(*run), container)


def alone(line: str, folder: Path) -> str:
    """What a line of sh says in a folder, with no home, no path, no locale, and this machine's Python out of sight."""
    hidden = [CHECKOUT, Path(sys.prefix), Path(sysconfig.get_path("stdlib"))]
    hidden += [Path(sys.base_prefix)] if sys.base_prefix not in ("/usr", "/usr/local") else []
    empty = folder.parent / "empty"
    empty.mkdir(exist_ok=True)
    mounts = [f"mount --bind '{empty}' '{path}'" for path in hidden if path.is_dir()]
    mounts += [
        f"mount --bind /dev/null '{file.resolve()}'" for n in LIBRARIES for file in Path("/usr/lib").glob(f"*/{n}")
    ]
    (folder / "line.sh").write_text(line)
    bare = f"exec /usr/bin/env -i HOME='{empty}' PATH=/nonexistent LANG=C /bin/sh line.sh"
    command = ["/bin/sh", "-c", f"cd '{folder}'; {bare}"]
    if can_hide():
        command = ["unshare", "-m", "/bin/sh", "-c", "; ".join([*mounts, f"cd '{folder}'", bare])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def can_hide() -> bool:
    """Whether a process may have mounts of its own here: not in every container that runs tests."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "-m", "mount", "--bind", "/tmp", "/tmp"], check=False).returncode == 0
