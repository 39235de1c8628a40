"""A given Python: what `--env` names, checked as far as this machine can see."""

from __future__ import annotations

import gzip
import re
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, cast, final

from hdfs_io import DataError, exists, open_fs
from yarnml.errors import UsageError

TARBALLS = (".tar.gz", ".tgz", ".tar")  # what YARN unpacks and keeps links and modes in
OTHERS = (".zip", ".tar.bz2", ".tar.xz", ".tar.zst", ".jar")
NEEDS = frozenset({"fsspec", "numba", "numpy", "pyarrow", "scipy", "yaml", "zmq"})  # what every role imports
WAYS = "say a tarball made by venv-pack or conda-pack (a path or URL), or an absolute path that exists on every node"


@final
@dataclass(frozen=True)
class Given:
    python: str  # the interpreter, seen from the unpacked tarball, or by its path on the nodes
    tarball: str | None = None  # its path or URL; None: nothing is sent
    version: tuple[int, int] | None = None  # of Python, where the tarball shows it
    note: str = ""  # what the user should know


def given(env: str) -> Given:
    """What `--env` says: a tarball with bin/python at its top or one folder below, or a folder of the nodes.

    UsageError if it is neither, isn't there, or holds no Python.
    """
    if env.endswith(TARBALLS):
        return _tarball(env)
    if env.endswith(OTHERS):
        raise UsageError(f"--env {env}: YARN can't unpack this with its links and modes; {WAYS}")
    if "://" in env:
        raise UsageError(f"--env {env}: a URL must be that of a tarball ({', '.join(TARBALLS)}); {WAYS}")
    if not env.startswith("/"):
        there = " (a folder of this machine: the nodes don't have it)" if Path(env).is_dir() else ""
        raise UsageError(f"--env {env}: neither a tarball nor an absolute path{there}; {WAYS}")
    python = (PurePosixPath(env) / "bin/python").as_posix()
    return Given(
        python, note=f"{python} must exist on every node, with what yarnml needs; that can't be seen from here"
    )


def _tarball(env: str) -> Given:
    try:
        if not exists(env):
            raise UsageError(f"--env {env}: no such file; {WAYS}")
        found = _look(env)
    except (DataError, OSError, EOFError, tarfile.TarError) as error:
        raise UsageError(f"--env {env}: can't be read as a tarball ({error}); {WAYS}") from error
    if found is None:
        raise UsageError(f"--env {env}: holds no bin/python, at its top or one folder below; {WAYS}")
    if found.version is not None and found.version < (3, 11):
        version = ".".join(map(str, found.version))
        raise UsageError(f"--env {env}: holds Python {version}, and yarnml needs 3.11 or newer")
    return found


def _look(env: str) -> Given | None:
    """The shallowest bin/python, and what the listing tells of it."""
    fs, path = open_fs(env)
    links: dict[str, str] = {}
    version: tuple[int, int] | None = None
    missing = set(NEEDS)
    with fs.open(path, "rb") as file, _unzipped(env, file) as plain, tarfile.open(fileobj=plain, mode="r|") as tar:
        for member in tar:
            name = PurePosixPath(member.name).as_posix()
            if re.fullmatch(r"([^/]+/)?bin/python[0-9.]*", name):
                links[name] = member.linkname if member.issym() else ""
            elif match := re.match(r"([^/]+/)?lib/python(\d+)\.(\d+)/((site|dist)-packages/([^/.]+))?", name):
                version = int(match[2]), int(match[3])
                missing.discard(match[6])
    pythons = [name for name in links if name.endswith("bin/python")]
    if not pythons:
        return None
    python = min(pythons, key=lambda name: name.count("/"))
    link, notes = _end(python, links), []
    if link.startswith("/"):
        notes.append(f"its Python is a link: {link} must exist on every node")
    if missing:
        notes.append(f"it holds no {', '.join(sorted(missing))}: --requirements or the nodes must have them")
    return Given(python, env, version, "; ".join(notes))


def _unzipped(env: str, file: IO[bytes]) -> IO[bytes]:
    """By gzip itself: tarfile's own reader takes a cut file for a whole one."""
    return file if env.endswith(".tar") else cast(IO[bytes], gzip.GzipFile(fileobj=file))


def _end(python: str, links: dict[str, str]) -> str:
    """Where a chain of links in bin/ leads; an absolute path if it leaves the tarball."""
    folder = PurePosixPath(python).parent
    for _ in range(len(links)):
        link = links.get(python, "")
        if not link or link.startswith("/"):
            return link
        python = (folder / link).as_posix()
    return ""


def same_version(env: Given) -> bool:
    """Whether packages installed by this Python run there, as far as that shows."""
    return env.version is None or env.version == sys.version_info[:2]
