"""Wheels: what `--requirements` asks for, installed by pip beside the environment."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path

from packaging.utils import canonicalize_name

from yarnml.errors import UsageError
from yarnml.launch.env.entry import below
from yarnml.launch.env.pack import Pack
from yarnml.launch.env.prune import runs
from yarnml.launch.env.shelf import local_shelf
from yarnml.launch.env.stock import remove_old
from yarnml.launch.env.tree import settle_libraries

LIMIT = 1800.0  # seconds for pip


def wheels(file: str, beside: list[Distribution], folder: Path | None = None) -> Pack:
    """A pack of what the file asks for and `beside` doesn't hold, resolved so that both fit together.

    It is resolved once: the same file beside the same packages is the same pack, until the local cache is removed.
    UsageError with pip's last words if that fails.
    """
    path = Path(file).expanduser().resolve()
    if not path.is_file():
        raise UsageError(f"--requirements {file}: no such file (looked for {path})")
    pins = sorted(f"{dist.name}=={dist.version}" for dist in beside)
    key = hashlib.sha256("\0".join([path.read_text(), sys.version, *pins]).encode()).hexdigest()[:16]
    target = (folder or local_shelf()) / f"wheels-{key}"
    if target.exists():
        os.utime(target)  # the oldest go first, by their last use
    else:
        _install(path, pins, target)
        remove_old(str(target.parent))
    return Pack("wheels", tuple(entry for entry in below(target) if runs(entry.name)), finish=settle_libraries)


def _install(path: Path, pins: list[str], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".wheels-", dir=target.parent) as scratch:
        made, constraints = Path(scratch, "made"), Path(scratch, "constraints.txt")
        made.mkdir()
        constraints.write_text("\n".join(pins))
        _pip(path, "--target", str(made), "--constraint", str(constraints))
        _leave_out(made, {canonicalize_name(pin.partition("==")[0]) for pin in pins})
        made.rename(target)


def _pip(path: Path, *flags: str) -> None:
    if find_spec("pip") is None:
        raise UsageError(f"--requirements needs pip in {sys.prefix}, which has none; add it: python -m ensurepip")
    quiet = ("--no-compile", "--no-input", "--disable-pip-version-check", "--quiet")
    command = [sys.executable, "-m", "pip", "install", *quiet, *flags, "--requirement", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False, cwd=path.parent)
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"--requirements {path}: pip did not end within {LIMIT:g} s") from error
    if done.returncode:
        last = "\n".join(f"  | {line}" for line in done.stderr.strip().splitlines()[-8:])
        raise UsageError(
            f"--requirements {path}: pip can't install them beside what yarnml needs; its last words:\n{last}"
        )


def _leave_out(folder: Path, names: Collection[str]) -> None:
    """Remove what the environment has already: pip installs dependencies again when told a target."""
    for dist in list(distributions(path=[str(folder)])):
        if canonicalize_name(dist.name) not in names:
            continue
        for file in dist.files or ():
            Path(str(dist.locate_file(file))).unlink(missing_ok=True)
    for empty in sorted(folder.rglob("*"), reverse=True):
        if empty.is_dir() and not any(empty.iterdir()):
            empty.rmdir()
    shutil.rmtree(folder / "bin", ignore_errors=True)
