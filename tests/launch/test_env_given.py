"""What `--env`, `--py-files`, `--files` and `--requirements` take, and what they refuse."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

from yarnml.errors import UsageError
from yarnml.launch.env import Resource
from yarnml.launch.env import wheels as wheels_module
from yarnml.launch.env.added import files, py_files
from yarnml.launch.env.given import NEEDS, given, same_version
from yarnml.launch.env.pack import Pack
from yarnml.launch.env.wheels import wheels


def tarball(path: Path, *names: str, **links: str) -> str:
    with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as tar:
        for name in names:
            tar.addfile(tarfile.TarInfo(name), io.BytesIO())
        for name, target in links.items():
            info = tarfile.TarInfo(f"bin/{name.replace('_', '.')}")
            info.type, info.linkname = tarfile.SYMTYPE, target
            tar.addfile(info)
    return str(path)


@pytest.mark.parametrize(
    ("names", "python"),
    [
        (["bin/python", "lib/python3.12/os.py"], "bin/python"),
        (["./bin/python", "./lib/python3.12/os.py"], "bin/python"),
        (["my env/bin/python", "my env/lib/python3.12/os.py"], "my env/bin/python"),
        (["a/bin/python", "bin/python", "lib/python3.12/os.py"], "bin/python"),
    ],
)
def test_a_tarball_has_its_python_at_the_top_or_one_folder_below(tmp_path: Path, names: list[str], python: str) -> None:
    found = given(tarball(tmp_path / "my ënv.tar.gz", *names))
    assert (found.python, found.version) == (python, (3, 12))
    assert given(tarball(tmp_path / "e.tar", *names)).python == python
    assert same_version(found) == (sys.version_info[:2] == (3, 12))


def test_a_python_that_links_out_of_its_tarball_is_said(tmp_path: Path) -> None:
    found = given(tarball(tmp_path / "e.tgz", python="python3", python3="python3.12", python3_12="/usr/bin/python3.12"))
    assert "/usr/bin/python3.12 must exist on every node" in found.note
    assert "link" not in given(tarball(tmp_path / "f.tgz", "bin/python3.12", python="python3.12")).note


def test_what_a_tarball_lacks_is_said(tmp_path: Path) -> None:
    site = "lib/python3.12/site-packages"
    names = ["bin/python", *(f"{site}/{name}/__init__.py" for name in sorted(NEEDS))]
    assert given(tarball(tmp_path / "all.tgz", *names)).note == ""
    without = [name for name in names if "/numba/" not in name and "/zmq/" not in name]
    assert "it holds no numba, zmq" in given(tarball(tmp_path / "some.tgz", *without)).note


def test_a_folder_of_the_nodes_is_taken_at_its_word() -> None:
    found = given("/opt/my py")
    assert (found.python, found.tarball) == ("/opt/my py/bin/python", None)
    assert "must exist on every node" in found.note


def test_what_is_no_environment_is_refused_with_what_to_say(tmp_path: Path) -> None:
    (tmp_path / "broken.tar.gz").write_bytes(b"no tarball")
    whole = Path(tarball(tmp_path / "whole.tar.gz", "bin/python", *(f"lib/{i}.py" for i in range(3000)))).read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "folder").mkdir()
    cases = {
        str(tmp_path / "absent.tar.gz"): "no such file",
        str(tmp_path / "broken.tar.gz"): "can't be read",
        str(tmp_path / "cut.tar.gz"): "can't be read",
        tarball(tmp_path / "empty.tar.gz", "readme"): "holds no bin/python",
        tarball(tmp_path / "deep.tar.gz", "a/b/bin/python"): "holds no bin/python",
        tarball(tmp_path / "old.tar.gz", "bin/python", "lib/python3.9/os.py"): "holds Python 3.9",
        "env.zip": "can't unpack",
        "hdfs:///envs/py": "must be that of a tarball",
        "nosuchscheme://x/env.tar.gz": "can't be read",
        "./folder": "neither",
    }
    for env, why in cases.items():
        with pytest.raises(UsageError, match=why) as error:
            given(env)
        assert env in str(error.value)


def test_modules_packages_and_zips_are_importable(tmp_path: Path) -> None:
    (tmp_path / "a é.py").write_text("")
    (tmp_path / "b.zip").write_text("")
    (tmp_path / "pkg/sub").mkdir(parents=True)
    (tmp_path / "pkg/sub/c.py").write_text("")
    found = py_files([f"{tmp_path}/a é.py", f"{tmp_path}/b.zip", f"{tmp_path}/pkg/"])
    assert found is not None
    pack, path = found
    assert [entry.name for entry in pack.entries] == ["a é.py", "b.zip", "pkg/sub/c.py"]
    assert path == (".", "b.zip")
    assert py_files([]) is None


def test_files_lie_under_their_own_names_and_folders_are_packed(tmp_path: Path) -> None:
    (tmp_path / "wörds.txt").write_text("")
    (tmp_path / "dir/sub").mkdir(parents=True)
    (tmp_path / "dir/sub/x").write_text("")
    (name, file), (folder, pack) = files([f"{tmp_path}/wörds.txt", f"{tmp_path}/dir"])
    assert (name, folder) == ("wörds.txt", "dir")
    assert file == Resource("wörds.txt", f"{tmp_path}/wörds.txt", archive=False)
    assert isinstance(pack, Pack)
    assert [entry.name for entry in pack.entries] == ["sub/x"]


def test_what_can_not_be_added_is_refused(tmp_path: Path) -> None:
    for name in ("a.txt", "b.py", "one/c.py", "code/x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "c.py").write_text("")
    with pytest.raises(UsageError, match=r"absent\.py: no such file"):
        py_files([f"{tmp_path}/absent.py"])
    with pytest.raises(UsageError, match="other files go with --files"):
        py_files([f"{tmp_path}/a.txt"])
    with pytest.raises(UsageError, match=r"two are called 'c\.py'"):
        py_files([f"{tmp_path}/c.py", f"{tmp_path}/one/c.py"])
    with pytest.raises(UsageError, match="'code' is a name that yarnml uses"):
        files([f"{tmp_path}/code"])
    with pytest.raises(UsageError, match="no such file"):
        files([f"{tmp_path}/absent"])


def fake_pip(monkeypatch: pytest.MonkeyPatch, *, code: int = 0, stderr: str = "") -> list[list[str]]:
    """In the place of pip: what it was asked, and a package and a dependency that is there already."""
    calls: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        for name in ("extra", "numpy"):
            target = Path(command[command.index("--target") + 1])
            (target / f"{name}-1.dist-info").mkdir()
            (target / f"{name}-1.dist-info/METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
            (target / f"{name}-1.dist-info/RECORD").write_text(f"{name}/__init__.py,,\n{name}-1.dist-info/METADATA,,\n")
            (target / name).mkdir()
            (target / name / "__init__.py").write_text("")
        return subprocess.CompletedProcess(command, code, "", stderr)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(wheels_module, "find_spec", lambda name: name)
    return calls


def test_requirements_are_resolved_once_and_bring_only_what_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = fake_pip(monkeypatch)
    file = tmp_path / "requirements é.txt"
    file.write_text("extra")
    pack = wheels(str(file), [distribution("numpy")], tmp_path / "cache")
    assert [entry.name for entry in pack.entries] == ["extra/__init__.py", "extra-1.dist-info/METADATA"]
    assert wheels(str(file), [distribution("numpy")], tmp_path / "cache").hash == pack.hash
    assert len(calls) == 1
    file.write_text("extra==1")
    wheels(str(file), [distribution("numpy")], tmp_path / "cache")
    assert len(calls) == 2


def test_pip_has_the_last_word_when_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_pip(monkeypatch, code=1, stderr="ERROR: No matching distribution found for nonesuch\n")
    (tmp_path / "r.txt").write_text("nonesuch")
    with pytest.raises(UsageError, match="No matching distribution found for nonesuch"):
        wheels(str(tmp_path / "r.txt"), [], tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())
    with pytest.raises(UsageError, match=r"absent\.txt: no such file"):
        wheels(str(tmp_path / "absent.txt"), [])
