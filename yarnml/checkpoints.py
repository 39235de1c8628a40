"""Checkpoints: directories in a run's directory, each whole or absent and as of one clock; the last two are kept."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import final

from hdfs_io import DataError, join, open_fs, read_text, remove, write_text
from hdfs_io.store import open_read, replace
from yarnml.job import Job

FORMAT = 1
KEPT = 2
ABOUT = "checkpoint.json"


@final
@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """What checkpoint.json says; the parts beside it say what they hold."""

    run: str
    app: str
    clock: int  # clocks of the tables that had ended
    generation: int
    workers: int
    servers: int
    format: int = FORMAT


def directory(job: Job) -> str:
    return join(job.url, "checkpoints")


def commit(job: Job, generation: int, clock: int, url: str) -> str:
    """Give a directory to which every process has written its part its name, and return that. Older ones go.

    Raises OSError or DataError.
    """
    about = Checkpoint(
        run=job.run, app=job.app, clock=clock, generation=generation, workers=job.workers, servers=job.servers
    )
    write_text(join(url, ABOUT), json.dumps(asdict(about), indent=1))
    target = join(directory(job), f"{clock:09d}")
    fs, source = open_fs(url)
    replace(fs, source, open_fs(target)[1])
    with suppress(OSError, DataError):  # they are in nobody's way
        _tidy(job, clock)
    return target


def latest(
    run: str, on_broken: Callable[[str], None] = lambda _: None, *, deep: bool = False
) -> tuple[str, Checkpoint] | None:
    """The newest whole one of the run at this URL, and its own URL; `on_broken` hears why a newer one isn't.

    `deep`: see `opened`.
    """
    for name in sorted(_named(run), reverse=True):
        url = join(run, f"checkpoints/{name}")
        try:
            return url, opened(url, deep=deep)
        except DataError as error:
            on_broken(str(error))
    return None


def opened(url: str, *, deep: bool = False) -> Checkpoint:
    """What the checkpoint at `url` says of itself. DataError names the file that isn't there or is broken.

    Each process's file has to have its list of members, which is written last; `deep`: and every byte as written.
    """
    found = about(url)
    parts = [f"server-{j}.npz" for j in range(found.servers)] + [f"worker-{i}.npz" for i in range(found.workers)]
    for part in parts:
        _refuse_broken(join(url, part), deep)
    return found


def broken(url: str) -> str:
    """Why the checkpoint at `url` can't be gone back to; "" if it can."""
    try:
        opened(url)
    except DataError as error:
        return str(error)
    return ""


def parted(url: str) -> tuple[str, str]:
    """Of the URL of a checkpoint, its run's and that itself; of any other text, that and nothing."""
    found = re.fullmatch(r"(.+)/checkpoints/(\d+)/*", url)
    return (url, "") if found is None else (found[1], f"{found[1]}/checkpoints/{found[2]}")


def about(url: str) -> Checkpoint:
    """Raises DataError if there is no checkpoint at `url`, or a newer yarnml wrote it."""
    try:
        found = json.loads(read_text(join(url, ABOUT)))
        if found["format"] > FORMAT:
            raise DataError(
                f"{url}: this checkpoint has format {found['format']}, and this yarnml reads up to {FORMAT}"
            )
        return Checkpoint(**found)
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{url}: {ABOUT} is broken: {error}") from error


def discard(url: str) -> None:
    """Remove what will never be whole."""
    with suppress(OSError, DataError):
        remove(url)


def _refuse_broken(url: str, deep: bool) -> None:
    try:
        with open_read(url) as raw, zipfile.ZipFile(raw) as members:
            bad = members.testzip() if deep else None
    except FileNotFoundError:
        raise DataError(f"{url}: no such file: the checkpoint isn't whole") from None
    except Exception as error:  # zipfile raises a dozen kinds at bytes that make no sense
        raise DataError(f"{url}: is broken: {error}") from error
    if bad is not None:
        raise DataError(f"{url}: is broken: {bad} isn't as it was written")


def _tidy(job: Job, clock: int) -> None:
    """Older than the last two, and what was abandoned before `clock`."""
    for name in sorted(_named(job.url))[:-KEPT]:
        discard(join(directory(job), name))
    for name in _names(job.url):
        first = name.removeprefix(".").partition("-")[0]
        if name.startswith(".") and first.isdigit() and int(first) < clock:
            discard(join(directory(job), name))


def _named(run: str) -> list[str]:
    return [name for name in _names(run) if name.isdigit()]


def _names(run: str) -> list[str]:
    fs, path = open_fs(join(run, "checkpoints"))
    if not fs.isdir(path):
        return []
    fs.invalidate_cache(path)
    return [str(entry).rstrip("/").rpartition("/")[2] for entry in fs.ls(path, detail=False)]
