"""A scan whose pieces are surveyed elsewhere, in any number of shares, finds what one of here finds."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdfs_io import DataError, Dataset, ReadOptions, Roles, Surveyor, nobody, read_text, remove, scan, write_text
from hdfs_io.dataset import Piece
from hdfs_io.errand import Errand, Looked, Portion, find, together
from hdfs_io.survey import Ask
from hdfs_io.travel import errand_of, errand_text, pack, unpack

Put = Callable[[str, str | bytes], str]


class Elsewhere:
    """Does each errand in so many shares, the last one first, and sends all through bytes."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.errands: list[Errand] = []

    def __call__(self, errand: Errand) -> Sequence[Looked]:
        self.errands.append(errand)
        there = errand_of(errand_text(errand))
        found = [find(there, share, threads=2) for share in reversed(there.shares(self.workers))]
        return together(errand, [unpack(pack(each)) for each in found])


def lines(n: int, seed: int = 0) -> str:
    rng = np.random.default_rng(seed)
    return "".join(f"{rng.normal():.3f},{rng.choice(['red', 'blue'])},{rng.integers(3)}\n" for _ in range(n))


def quoted(n: int) -> str:
    """Records with line ends within quotes, wherever pieces may end."""
    return "".join(f'{k},"a ""word"",\nand more {k % 7}",{k % 2}\n' for k in range(n))


def parquet(n: int) -> bytes:
    out = io.BytesIO()
    table = pa.table({"a": np.arange(n) / 7, "w": ["x", "ÿ"] * (n // 2), "y": np.arange(n) % 3})
    pq.write_table(table, out, row_group_size=7)
    return out.getvalue()


HEAD = "a,w,y\n"
CASES: dict[str, dict[str, str | bytes]] = {
    "csv": {"p0.csv": HEAD + lines(80), "p1.csv": HEAD + lines(9, 1), "p2.csv": HEAD + lines(50, 2)},
    "quotes": {"p0.csv": HEAD + quoted(60), "p1.csv": HEAD + quoted(3)},
    "small": {f"p{k:02d}.csv": HEAD + lines(2, k) for k in range(40)},
    "packed": {"p0.csv.gz": gzip.compress((HEAD + lines(99)).encode()), "p1.csv": HEAD + lines(30, 3)},
    "directories": {"day=1/p.csv": HEAD + lines(40), "day=2/p.csv": HEAD + lines(40, 1)},
    "words among numbers": {"p0.csv": HEAD + lines(60), "p1.csv": HEAD + "oops,red,1\n" * 6 + lines(5, 2)},
    "libsvm": {"p0": "".join(f"{k % 3} {k % 5 + 1}:{k}.5 9:1\n" for k in range(90)), "p1": "1 12:2\n"},
    "parquet": {"p0.parquet": parquet(40), "p1.parquet": parquet(20)},
}


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("case", CASES)
def test_it_is_the_same_data_set_whoever_surveyed_it(place: str, put: Put, case: str, workers: int) -> None:
    for name, data in CASES[case].items():
        put(f"set/{name}", data)
    url = f"{place}/set"
    said: dict[str, Any] = {"label": "class", "piece": 300}
    if case == "words among numbers":
        said["options"] = ReadOptions(bad_rows="skip", rejects=f"{place}/rejects")
    here = scan(url, **said, threads=2)
    rejects = read_text(f"{place}/rejects") if case == "words among numbers" else ""
    elsewhere = Elsewhere(workers)
    there = scan(url, **said, surveyor=elsewhere)
    assert there == here
    assert len(here.pieces) > 1
    assert len(elsewhere.errands) == (2 if case == "words among numbers" else 1)
    assert any(portion.uncut for portion in elsewhere.errands[0].portions) == (case in UNCUT)
    if rejects:
        assert "oops" in rejects
        assert read_text(f"{place}/rejects") == rejects
    model = here.schema
    assert scan(url, **said, schema=model, surveyor=Elsewhere(workers)) == scan(url, **said, schema=model)


UNCUT = ("csv", "quotes", "packed", "directories", "words among numbers")


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_means_are_the_same_to_the_last_bit(place: str, put: Put, workers: int) -> None:
    put("t.csv", "a,y\n" + "".join(f"{0.1 * k:.17g},{k % 2}\n" if k % 3 else f",{k % 2}\n" for k in range(200)))
    said: dict[str, Any] = {"label": "class", "piece": 100, "options": ReadOptions(missing="mean")}
    here = scan(f"{place}/t.csv", **said)
    assert scan(f"{place}/t.csv", **said, surveyor=Elsewhere(workers)) == here
    assert here.schema.means is not None


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({3: "1,2,3"}, "t.csv:5: "),
        ({50: "1,2,3", 3: "1,2,3,4"}, "t.csv:5: 4 columns"),  # both can't be read, by different workers
        ({90: "oops,1"}, "t.csv:92: column 'a' holds 'oops'"),
        ({90: "1,", 10: "1,"}, "t.csv:12: label"),
    ],
)
def test_faults_are_said_as_they_are_here(place: str, put: Put, workers: int, wrong: dict[int, str], said: str) -> None:
    rows = [wrong.get(k, f"{k},{k % 2}") for k in range(100)]
    url = put("t.csv", "\n".join(["a,y", *rows]) + "\n")
    told = []
    for surveyor in (nobody, Elsewhere(workers)):
        with pytest.raises(DataError) as caught:
            scan(url, label="class", piece=64, surveyor=surveyor, options=ReadOptions(roles=Roles(label="y")))
        told.append(str(caught.value))
    assert told[0] == told[1]
    assert said in told[0]


CELLS = st.sampled_from(["1", "2", "3.5", "4", "-1e3", "1e39", "", "nan", "oops", "red", "blue"])
ROWS = st.lists(st.tuples(CELLS, CELLS, st.sampled_from(["0", "1", "1", "x", ""])), max_size=8)
READ = st.builds(
    ReadOptions,
    missing=st.sampled_from([None, "zero", "mean"]),
    bad_rows=st.sampled_from(["stop", "skip"]),
    words=st.sampled_from(["hot", "drop"]),
)


@settings(deadline=None)
@given(st.lists(ROWS, min_size=1, max_size=4), READ, st.integers(5, 60), st.integers(1, 3))
def test_whatever_there_is_the_answer_is_the_same(
    files: list[Any], read: ReadOptions, piece: int, workers: int
) -> None:
    url = f"memory://{uuid4().hex}"
    for k, rows in enumerate(files):
        text = "a,b,y\n" + "".join(",".join(row) + "\n" for row in rows)
        write_text(f"{url}/p{k}.csv", text)
    options = replace(read, format="csv", sep=",", header=True, roles=Roles(label="y"))

    def answer(surveyor: Surveyor) -> Dataset | str:
        try:
            return scan(url, options, label="any", piece=piece, surveyor=surveyor)
        except DataError as error:
            return str(error)

    assert answer(Elsewhere(workers)) == answer(nobody)
    remove(url)


def errand_of_sizes(sizes: list[int]) -> Errand:
    portions = tuple(Portion(Piece(f"f{k}", 0, size), size) for k, size in enumerate(sizes))
    return Errand(ReadOptions(format="csv"), portions, Ask(), 1)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=50), st.integers(1, 9))
def test_shares_hold_every_portion_once_and_about_equally_much(sizes: list[int], workers: int) -> None:
    shares = errand_of_sizes(sizes).shares(workers)
    assert len(shares) == workers
    assert [k for share in shares for k in share] == list(range(len(sizes)))
    loads = [sum(max(1, sizes[k]) for k in share) for share in shares]
    assert max(loads) <= sum(loads) / workers + max(1, *sizes)


def test_what_nobody_has_surveyed_is_named(put: Put) -> None:
    url = put("t.csv", "a,y\n" + "1,2\n" * 50)
    lost = []

    def one_is_gone(errand: Errand) -> Sequence[Looked]:
        found = [find(errand, share, threads=1) for share in errand.shares(3)]
        lost.append(found.pop(1))
        return together(errand, found)

    with pytest.raises(DataError, match=r"t\.csv: nobody has surveyed it"):
        scan(url, label="class", options=ReadOptions(quote="none"), surveyor=partial_of(one_is_gone))
    assert lost


def partial_of(surveyor: Callable[[Errand], Sequence[Looked]]) -> Callable[[Errand], Sequence[Looked]]:
    """With each portion thrice, so that there is something to share."""
    return lambda errand: surveyor(replace(errand, portions=errand.portions * 3))


def test_parquet_whose_statistics_tell_is_nothing_to_read() -> None:
    errand = errand_of_sizes([10, 20])
    assert errand.reads == errand.size == 30
    assert replace(errand, options=ReadOptions(format="parquet")).reads == 0
    assert replace(errand, options=ReadOptions(format="parquet"), ask=Ask(skip=True)).reads == 30
