"""Shipping: what a run is sent with, checked before anything starts, and what its containers then find."""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import final

from hdfs_io import open_fs
from yarnml.errors import UsageError
from yarnml.launch.env import contents
from yarnml.launch.env.added import files, py_files
from yarnml.launch.env.given import TARBALLS, Given, given, same_version
from yarnml.launch.env.pack import Pack
from yarnml.launch.env.packages import needed
from yarnml.launch.env.python import EXECUTABLE
from yarnml.launch.env.resource import Resource
from yarnml.launch.env.shelf import Say, send, send_as
from yarnml.launch.env.wheels import wheels


@final
@dataclass(frozen=True, kw_only=True)
class Wish:
    """What a user says of the environment."""

    env: str | None = None  # a tarball with bin/python, or its place on the nodes; else the running Python is packed
    py_files: tuple[str, ...] = ()  # .py, .zip and folders, importable
    files: tuple[str, ...] = ()  # into the working directory
    requirements: str | None = None  # for pip
    app: str | None = None  # the folder of a private app


@final
@dataclass(frozen=True)
class Shipment:
    """What containers are started with. Paths are seen from their working directory."""

    python: str
    path: tuple[str, ...]  # to import from
    app: str | None  # where the private app lies
    resources: tuple[Resource, ...]
    sent: int  # bytes uploaded: 0 if all was there

    def command(self, *args: str) -> str:
        """A line of sh that becomes Python with `args`; no variable of the node leads it elsewhere.

        Kernels that get compiled are kept beside the code, for the next run too; a cluster where that can't be
        written has them in the container.
        """
        path = ":".join(f'"$PWD"/{shlex.quote(part)}' for part in self.path)
        return (
            f"unset PYTHONHOME; export PYTHONPATH={path} PYTHONSAFEPATH=1 PYTHONNOUSERSITE=1 PYTHONUTF8=1; "
            'test -w code/yarnml || export NUMBA_CACHE_DIR="$PWD"/numba; '
            f"exec {shlex.join([self.python, *args])}"
        )


@final
@dataclass(frozen=True)
class Plan:
    """All that is wished for, found and looked at; nothing is built or sent yet."""

    python: str
    path: tuple[str, ...]
    app: str | None
    parcels: tuple[tuple[str, Pack | Resource], ...]  # by their name in a container
    notes: tuple[str, ...]  # what the user should know before it starts

    def send(self, home: str, say: Say = print) -> Shipment:
        """Put what is missing on the cluster's store, below the user's `home` there (a URL), and `say` so."""
        resources, total = [], 0
        for name, parcel in self.parcels:
            resource, sent = _send(name, parcel, home, say)
            resources.append(resource)
            total += sent
        return Shipment(self.python, self.path, self.app, tuple(resources), total)


def plan(wish: Wish) -> Plan:
    """Look at everything that a user wishes to send; UsageError says what can't be, before anything starts."""
    code, app = contents.code(), _app(wish.app)
    parcels: list[tuple[str, Pack | Resource]] = [("code", code), *files(wish.files)]
    path, notes = ["code"], []
    python = f"env/{EXECUTABLE}"
    base: Given | None = None
    if wish.env is None:
        parcels.insert(0, ("env", contents.runtime()))
    else:
        base = given(wish.env)
        python = base.python if base.tarball is None else f"env/{base.python}"
        notes += [base.note] if base.note else []
        if base.tarball is not None:
            parcels.insert(0, ("env", Resource("env", base.tarball, archive=True)))
    if wish.requirements is not None:
        if base is not None and not same_version(base):
            raise UsageError(f"--requirements: --env holds another version of Python, install them into {wish.env}")
        parcels.append(("wheels", wheels(wish.requirements, [] if base else needed())))
        path.append("wheels")
    if added := py_files(wish.py_files):
        parcels.append(("py", added[0]))
        path += ["py" if part == "." else f"py/{part}" for part in added[1]]
    if app is not None:
        parcels.append(("app", app[1]))
    return Plan(python, tuple(path), app[0] if app else None, tuple(parcels), tuple(notes))


def _app(folder: str | None) -> tuple[str, Pack] | None:
    if folder is None:
        return None
    path = Path(folder).expanduser().resolve()
    if not (path / "app.py").is_file():
        raise UsageError(f"{folder}: no app there: it needs to be a folder with an app.py (looked in {path})")
    return f"app/{path.name}", contents.app(path)


def _send(name: str, parcel: Pack | Resource, home: str, say: Say) -> tuple[Resource, int]:
    if isinstance(parcel, Pack):
        url, sent = send(parcel, home, say)
        return Resource(name, url, archive=True), sent
    store = _protocol(parcel.url)
    if store == _protocol(home) or (store == "file" and not parcel.archive):
        return parcel, 0
    if not parcel.archive:
        raise UsageError(
            f"--files {parcel.url}: nodes take files from {home} or this machine; yarnml data copy brings it"
        )
    suffix = next(end for end in TARBALLS if parcel.url.endswith(end))
    url, sent = send_as(f"given-{_mark(parcel.url)}{suffix}", parcel.url, home, say)
    return Resource(name, url, archive=True), sent


def _protocol(url: str) -> str:
    protocol = open_fs(url)[0].protocol
    return protocol if isinstance(protocol, str) else protocol[0]


def _mark(url: str) -> str:
    """Of a tarball somewhere else: by what it holds if it is here, else by what its store says of it."""
    fs, path = open_fs(url)
    if _protocol(url) != "file":
        return hashlib.sha256(f"{url} {fs.ukey(path)}".encode()).hexdigest()[:16]
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
