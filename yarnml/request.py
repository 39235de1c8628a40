"""A request: what a user asks of a run beside the app's own config, as flags, YAML keys and arguments in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from yarnml.config import AppConfig, hints
from yarnml.errors import UsageError
from yarnml.value import Count, Fraction, NonNegative, Positive, Range, Url, Whole

if TYPE_CHECKING:
    from hdfs_io import ReadOptions


Format = Literal[
    "libsvm", "csv", "parquet", "arrow", "text", "files", "ldac", "docword", "mm", "idx", "images", "wav"
]  # as hdfs_io.formats.FORMATS, which are slow to import
Quote = Literal["guess", "double", "backslash", "none"]
SEPS = {"tab": "\t", "\\t": "\t", "space": " "}  # characters that are hard to type


Who = Literal["auto", "here", "cluster"]
Seed = Annotated[int, Range(at_least=0, below=2**63)]
Staleness = Annotated[int, Range(at_least=0, at_most=1_000_000)]  # beyond, `none` says what is meant


@dataclass(frozen=True, kw_only=True)
class Data(AppConfig):
    data: Url | None = None  # what to learn from: file, directory, glob, or a list of these (a,b), on any store
    valid: Url | Fraction | None = None  # early stopping watches this: a data set, or a fraction of --data held out
    test: Url | Fraction | None = None  # the score at the end is of this: a data set, or a fraction of --data held out


@dataclass(frozen=True, kw_only=True)
class Reading(AppConfig):
    format: Format | None = None  # guessed from name and first rows, as is all below
    sep: str | None = None  # CSV: what separates columns; one character, or tab, space
    header: bool | None = None  # CSV: the first line holds the columns' names; --no-header: it is data
    label: str | int | None = None  # column to predict; columns are said by name or number (0 first, -1 last)
    weight: str | int | None = None  # column with the rows' weights
    id: str | int | None = None  # column that names the rows; predictions carry it
    features: tuple[str | int, ...] | None = None  # columns to learn from, as a b or a,b; else all without a role
    user: str | int | None = None  # column with the user of a rating
    item: str | int | None = None  # column with the item of a rating
    rating: str | int | None = None  # column with the rating
    text: str | int | None = None  # column with text
    unknown: Literal["stop", "drop"] = "stop"  # a feature or word that the model doesn't know: an error, or left out
    missing: Literal["stop", "nan", "zero", "mean"] | None = None  # a value that is missing: an error, or read as that
    quote: Quote = "guess"  # CSV: quotes within quotes are doubled, or escaped (Spark); none: quotes are text
    words: Literal["hot", "drop"] = "hot"  # a column of few words: a 0/1 feature for each word, or left out
    bad_rows: Literal["stop", "skip"] = "stop"  # a row that can't be used: an error, or left out and counted
    rejects: Url | None = None  # file for the rows that are left out: a line of JSON each

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sep is not None and not _separates(SEPS.get(self.sep, self.sep)):
            raise UsageError(f"--sep {self.sep!r}: expected one ASCII character that isn't a quote, or tab, or space")
        if self.features is not None:
            again = sorted({str(column) for column in self.features if self.features.count(column) > 1})
            if again or not self.features:
                what = f"names {again[0]} more than once" if again else "names no column; leave it out to take all"
                raise UsageError(f"--features: {what}")

    def options(self) -> ReadOptions:
        """As hdfs_io takes them."""
        from hdfs_io import ReadOptions, Roles  # here, so that tab completion can list flags at once

        roles = Roles(**{name: getattr(self, name) for name in hints(Roles)})
        return ReadOptions(
            format=self.format,
            sep=None if self.sep is None else SEPS.get(self.sep, self.sep),
            header=self.header,
            roles=roles,
            unknown=self.unknown,
            missing=self.missing,
            quote=None if self.quote == "guess" else self.quote,
            words=self.words,
            bad_rows=self.bad_rows,
            rejects=self.rejects,
        )


def _separates(sep: str) -> bool:
    return len(sep) == 1 and sep.isascii() and sep not in '"\r\n\0'


@dataclass(frozen=True, kw_only=True)
class Running(AppConfig):
    workers: Count = 1  # processes that compute; 1 runs here, with all cores
    servers: Count = 1  # processes that hold the tables
    threads: Count | None = None  # cores a worker uses; else all of them, shared out evenly
    steal: bool = False  # who has read its part of the data goes on with what slower workers haven't come to
    data_memory: str | None = None  # for a worker's rows, as 2GiB (more go to disk); Python adds 300 MiB; none: half
    staleness: Staleness | None = 0  # clocks that a read may be behind; none: any number
    seed: Seed = 0  # same data, seed, workers, threads and staleness 0: the same bits
    cache: str | None = None  # what a worker may keep of tables, as 5% or 512MiB; none: all that it has read
    bandwidth: str | None = None  # a process sends at most this a second, as 10MiB; none: each clock as it ends
    order: Literal["magnitude", "random", "fifo"] = "magnitude"  # with --bandwidth: what goes first
    out: Url | None = None  # where the result goes: a model, or predictions
    overwrite: bool = False  # replace what is at --out
    runs: Url | None = None  # directory of all runs; else ~/.yarnml/runs
    deadline: Positive | None = None  # seconds after which the run is ended
    silence: Positive = 10.0  # seconds without a sign of life after which a process counts as lost
    retries: Whole = 3  # deaths at the same place after which the run is given up; 0: the first one ends it
    secure: bool = False  # encrypt what processes say to each other, and let nobody else in; on YARN it always is so
    checkpoint_every: NonNegative = 60.0  # seconds between checkpoints, which a run goes back to; 0: none
    grace: NonNegative = 30.0  # seconds that a run which is killed or interrupted has for a last checkpoint; 0: none
    resume: Url | None = None  # run, by its id or URL, to go on with from its last checkpoint; flags said here win
    start_from: Url | None = None  # model to begin with: its weights; mf: users and items; lda: topics; kmeans: centres

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cache is None and self.bandwidth is None:
            return
        from yarnml.ps.client.limit import memory, understood  # here, so that tab completion can list flags at once

        if self.cache is not None:
            understood(self.cache)
        if self.bandwidth is not None:
            memory(self.bandwidth, "--bandwidth")
            if self.staleness == 0:
                raise UsageError("--bandwidth: at staleness 0 nothing may wait to be sent; say --staleness 1 or more")


@dataclass(frozen=True, kw_only=True)
class Showing(AppConfig):
    config: Url | None = None  # YAML file with `flag: value` lines; what the command line says beats it
    dry_run: bool = False  # print what would be run, and start nothing
    json: bool = False  # one JSON object on standard output at the end


@dataclass(frozen=True, kw_only=True)
class OnYarn(AppConfig):
    queue: str = "default"  # of the ResourceManager
    worker_memory: str = "2GiB"  # of each worker's container; its share of the data has to fit
    worker_vcores: Count = 1  # cores of each worker's container, and threads that it uses
    server_memory: str = "1GiB"  # of each server's container; its share of the tables has to fit
    server_vcores: Count = 1  # cores of each server's container
    scheduler_memory: str = "512MiB"  # of the scheduler's container
    scheduler_vcores: Count = 1  # cores of the scheduler's container
    env: str | None = None  # Python for the containers: a tarball with bin/python, or its path on all nodes; else ours
    py_files: tuple[str, ...] = ()  # modules, packages and zips that the app imports
    files: tuple[str, ...] = ()  # files for the containers' working directory
    variables: tuple[str, ...] = ()  # NAME=VALUE, for the containers' environment
    requirements: str | None = None  # file for pip: packages that the app needs beside
    node_label: str | None = None  # only nodes with this label
    tags: tuple[str, ...] = ()  # of the application, for whoever searches for it
    view_users: tuple[str, ...] = ()  # who else may see the application; *: everybody
    modify_users: tuple[str, ...] = ()  # who else may end it
    max_attempts: Count = 2  # starts of the application's master; the second goes on from the last checkpoint
    start_timeout: Positive = 600.0  # seconds in which all containers have to be there
    detach: bool = False  # return once it is submitted, with the run's id
    scan: Who = "auto"  # who looks through the data before the run: workers, if that is 4 GiB or more, or this machine


GROUPS: dict[str, type[Any]] = {"data": Data, "reading": Reading, "running": Running, "output": Showing}
GROUPS_ON_YARN: dict[str, type[Any]] = {
    "data": Data, "reading": Reading, "running": Running, "cluster": OnYarn, "output": Showing,
}  # fmt: skip
RESERVED = frozenset(name for group in GROUPS_ON_YARN.values() for name in hints(group))
