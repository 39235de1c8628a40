"""A survey by workers: the data set is what a scan of here makes of it, whoever dies and whatever is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hdfs_io import DataError, ReadOptions, nobody, scan
from hdfs_io.errand import Errand, Findings, find
from hdfs_io.spoken import sized
from hdfs_io.store import write_bytes
from hdfs_io.travel import pack
from yarnml.comm.effects import Report, Say, Setback
from yarnml.comm.outcome import Outcome
from yarnml.errors import RunFailed, Stopped
from yarnml.job import Job
from yarnml.launch import InlineLauncher, Launcher, LocalLauncher
from yarnml.request import Running
from yarnml.survey import PAYS, ByWorkers, Unsurveyed

PIECE = 2000


class Local:
    """Starts surveys on this machine, and remembers their jobs."""

    def __init__(self, launcher: Launcher) -> None:
        self.launcher = launcher
        self.jobs: list[Job] = []
        self.rows: dict[int, float] = {}
        self.news: list[str] = []

    def __call__(self, job: Job, errand: Errand) -> Outcome:
        self.jobs.append(job)
        return self.launcher.start(job, self.take, self.heed).wait()

    def take(self, report: Report) -> None:
        self.rows[report.worker] = report.numbers.get("rows", 0.0)

    def heed(self, news: Say | Setback) -> None:
        self.news.append(str(news))


@pytest.fixture
def data(tmp_path: Path) -> str:
    folder = tmp_path / "data"
    folder.mkdir()
    for k in range(6):
        rows = [f'{j / 7:.3f},"a, ""b""\n{j % 3}",{(j + k) % 2}' for j in range(300)]
        (folder / f"p{k}.csv").write_text("\n".join(["a,w,y", *rows]) + "\n")
    return str(folder)


def survey_of(tmp_path: Path, workers: int, start: Any, **said: Any) -> ByWorkers:
    said = {"who": "cluster", "say": lambda _: None, "step": 2 * PIECE, **said}
    running = Running(workers=workers, retries=said.pop("retries", 0))
    return ByWorkers(running=running, runs=str(tmp_path / "runs"), threads=2, start=start, **said)


def both(url: str, survey: ByWorkers) -> tuple[str, str]:
    """What is wrong with a data set, as it is said of a scan of here and of a survey."""
    told = []
    for surveyor in (nobody, survey):
        with pytest.raises(DataError) as caught:
            scan(url, label="class", piece=PIECE, surveyor=surveyor)
        told.append(str(caught.value))
    return told[0], told[1]


@pytest.mark.parametrize(
    "workers", [pytest.param(1, marks=pytest.mark.full), pytest.param(2, marks=pytest.mark.full), 3]
)
def test_workers_find_what_a_scan_of_here_finds(tmp_path: Path, data: str, workers: int) -> None:
    said: list[str] = []
    start = Local(LocalLauncher())
    there = scan(data, label="class", piece=PIECE, surveyor=survey_of(tmp_path, workers, start, say=said.append))
    assert there == scan(data, label="class", piece=PIECE)
    assert there.rows == sum(start.rows.values()) == 1800
    (job,) = start.jobs
    assert (job.workers, job.servers, job.threads) == (workers, 0, 2)
    assert [line.split(" to be ")[0].split(" in ")[0] for line in said] == [
        f"scan     6 parts, {sized(Path(data, 'p0.csv').stat().st_size * 6)},",
        f"scan     1,800 rows surveyed by {workers} worker{'s' * (workers != 1)}",
    ]
    assert not Path(job.url).exists()


def test_a_file_that_no_two_workers_can_share_is_named(tmp_path: Path, data: str) -> None:
    url, said = str(Path(data, "p0.csv")), list[str]()
    for workers in (1, 2, 3):
        survey = survey_of(tmp_path, workers, Local(InlineLauncher()), say=said.append)
        assert scan(url, label="class", piece=PIECE, surveyor=survey).rows == 300
    size = sized(Path(url).stat().st_size)
    remarks = [line for line in said if "alone" in line]
    assert [remark.partition(", as only")[0] for remark in remarks] == [
        f"scan     {url}, {size}, is surveyed by one worker alone"
    ]


def test_words_among_numbers_are_looked_at_by_workers_again(tmp_path: Path, data: str) -> None:
    Path(data, "p7.csv").write_text("a,w,y\n" + "oops,b,1\n" * 9)
    start = Local(InlineLauncher())
    here, there = both(data, survey_of(tmp_path, 1, start))
    assert here == there
    assert "p7.csv:2: column 'a' holds 'oops': 9 values" in here
    assert len(start.jobs) == 2


def test_the_first_fault_is_told_whoever_meets_one_first(tmp_path: Path, data: str) -> None:
    for name in ("p1.csv", "p4.csv"):
        with Path(data, name).open("a") as file:
            file.write(f"{name},too,many,columns\n")
    here, there = both(data, survey_of(tmp_path, 2, Local(LocalLauncher())))
    assert here == there
    assert "p1.csv:602: 4 columns" in here


def test_rows_that_are_left_out_are_counted_and_kept(tmp_path: Path, data: str) -> None:
    with Path(data, "p3.csv").open("a") as file:
        file.write("1,2,3,4\nnonsense,x,1\n")
    rejects = tmp_path / "rejects"
    options = ReadOptions(bad_rows="skip", rejects=str(rejects))
    here = scan(data, options, label="class", piece=PIECE)
    text = rejects.read_text()
    start = Local(InlineLauncher())
    assert scan(data, options, label="class", piece=PIECE, surveyor=survey_of(tmp_path, 1, start)) == here
    assert rejects.read_text() == text
    assert len(text.splitlines()) == 2


KILLER = """
import os, signal
from pathlib import Path
import yarnml_apps._survey.app as app

real = app.find

def find(errand, part, *rest):
    mark = Path({mark!r})
    if part.start > 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return real(errand, part, *rest)

app.find = find
"""


def test_a_worker_that_dies_is_replaced_and_what_it_brought_stays(
    tmp_path: Path, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each process begins with a module that kills the first one to come to the second step of its share."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(KILLER.format(mark=str(tmp_path / "killed")))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    start = Local(LocalLauncher())
    there = scan(data, label="class", piece=PIECE, surveyor=survey_of(tmp_path, 2, start, retries=3))
    assert (tmp_path / "killed").exists()
    assert there == scan(data, label="class", piece=PIECE)
    assert start.news


def test_what_was_brought_is_not_looked_for_again(tmp_path: Path, data: str) -> None:
    local = Local(InlineLauncher())

    def start(job: Job, errand: Errand) -> Outcome:
        """One who has died has brought its first step: with a row more than there is."""
        ((piece, survey),), *others = find(errand, range(1), 1).looked
        assert not others
        found = Findings(0, (((piece, replace(survey, rows=survey.rows + 1)),),))
        write_bytes(str(Path(job.config["errand"]).parent / "00000000.arrow"), pack(found))
        return local(job, errand)

    survey = survey_of(tmp_path, 1, start, step=1)
    (tmp_path / "data/p0.csv").write_text("a,w,y\n" + "1,x,0\n" * 5)
    assert scan(data, label="class", piece=PIECE, surveyor=survey).rows == 1506


def test_a_run_that_fails_or_is_ended_is_no_fault_of_the_data(tmp_path: Path, data: str) -> None:
    for state, kind in (("failed", RunFailed), ("killed", Stopped), ("interrupted", KeyboardInterrupt)):
        ended: Callable[[Job, Errand], Outcome] = lambda *_, s=state: Outcome(s, "so it was")  # noqa: E731
        with pytest.raises(kind) as caught:
            scan(data, label="class", surveyor=survey_of(tmp_path, 2, ended))
        assert ("could not be surveyed" in str(caught.value)) == (kind is not KeyboardInterrupt)


def test_it_is_asked_only_where_that_pays(tmp_path: Path, data: str) -> None:
    def never(_job: Job, _errand: Errand) -> Outcome:
        raise AssertionError

    here = scan(data, label="class")
    assert scan(data, label="class", surveyor=survey_of(tmp_path, 2, never, who="here")) == here
    assert scan(data, label="class", surveyor=survey_of(tmp_path, 2, never, who="auto")) == here
    assert PAYS > 1 << 30
    with pytest.raises(Unsurveyed, match=r"6 parts, .* would be surveyed by 2 workers"):
        scan(data, label="class", piece=PIECE, surveyor=survey_of(tmp_path, 2, never, dry=True))
    assert not (tmp_path / "runs").exists()
