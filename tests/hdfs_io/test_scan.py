"""What a scan holds while it goes through a data set stays little, however large that is, and changes no answer."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from hdfs_io import DataError, Dataset, LabelKind, Piece, labels, merge, scan, target
from hdfs_io import errand as errands
from hdfs_io.errand import Errand, Telling, find
from hdfs_io.formats import tabular, tally
from hdfs_io.hands import IN_HAND
from hdfs_io.here import Here
from hdfs_io.scan import survey
from hdfs_io.survey import Survey

Put = Callable[[str, str | bytes], str]


def limited(said: pytest.MonkeyPatch, most: int) -> None:
    for module in (labels, target, tally):
        said.setattr(module, "MOST_LABELS", most)


def rows(text: Callable[[int], str], n: int = 400) -> str:
    return "a,kind,text,y\n" + "".join(f"{i * 0.5},k{i % 3},{text(i)},{i % 2}\n" for i in range(n))


@pytest.mark.parametrize("piece", [300, 1 << 20])
def test_surveys_are_merged_on_the_way(put: Put, monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    url = put("t.csv", rows(lambda i: f"some words {i} here"))
    want = scan(url, label="class", piece=piece).to_json()
    for module in (errands, tabular):
        monkeypatch.setattr(module, "FOLDED", 2)
    assert scan(url, label="class", piece=piece).to_json() == want
    assert scan(url, label="class", piece=piece, threads=3, keep=1 << 20).to_json() == want


def test_what_is_wanted_of_the_whole_is_held_once(put: Put) -> None:
    """Of 100 pieces with the same words, one says them."""
    found = survey(put("t.csv", rows(lambda i: "x", 4000)), label="class", piece=500)
    assert len(found.surveys) > 100
    assert sum(bool(each.words) for each in found.surveys) == 1
    assert sum(each.rows for each in found.surveys) == found.whole.rows == 4000


def test_a_telling_is_in_order_and_says_all() -> None:
    telling = Telling()
    pieces = [Piece(f"f{i}", 0, 1) for i in range(40)]
    for i, piece in enumerate(pieces):
        telling.add(piece, Survey(1, values=i, greatest=i, columns=(("a", pa.float64()),) * (1 + (i > 20))))
    told = telling.all()
    assert [piece for piece, _ in told] == pieces
    assert [found.values for _, found in told] == list(range(40))
    assert [found.greatest for _, found in told if found.greatest >= 0] == [20, 39]


def test_long_texts_are_not_collected(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    url = put("t.csv.gz", gzip.compress(rows(lambda i: f"w{i}" * 50).encode()))
    assert survey(url, label="class").whole.words["text"] is not None
    monkeypatch.setattr(merge, "LONGEST", 2000)
    found = survey(url, label="class")
    assert found.whole.words["text"] is None
    kind = found.whole.words["kind"]
    assert kind is not None
    assert kind.to_pylist() == ["k0", "k1", "k2"]
    note = "column 'text' holds more than 100,000 different words, or very long ones: left out"
    assert note in scan(url, label="class").notes


@pytest.mark.parametrize("form", ["csv", "libsvm"])
@pytest.mark.parametrize("piece", [100, 1 << 20])
def test_labels_that_are_too_many_for_classes(put: Put, monkeypatch: pytest.MonkeyPatch, form: str, piece: int) -> None:
    def scanned(y: np.ndarray[tuple[int], np.dtype[np.float64]], kind: LabelKind) -> Dataset:
        lines = [f"1:1.5 2:{i}" if form == "libsvm" else f"1.5,{i}" for i in range(len(y))]
        pairs = zip(lines, map(repr, y.tolist()), strict=True)
        text = "".join(f"{v} {line}\n" if form == "libsvm" else f"{line},{v}\n" for line, v in pairs)
        head = "" if form == "libsvm" else "a,b,y\n"
        return scan(put(f"t.{form}", head + text), label=kind, piece=piece)

    limited(monkeypatch, 20)
    y = np.random.default_rng(0).permutation(90).astype(float)
    some = scanned(y % 20, "class").schema.label
    assert some is not None
    assert some.classes == tuple(range(20))
    assert some.counts == (5,) * 10 + (4,) * 10
    with pytest.raises(DataError, match=r"holds names or numbers of rows .*more than 20 different in 90 rows"):
        scanned(y, "class")
    y[5] = 0.25  # one that is no class, wherever it is
    with pytest.raises(DataError, match=r"holds numbers such as 0\.25 \(more than 20 different in 90 rows\)"):
        scanned(y, "class")
    number = scanned(y, "any").schema.label
    assert number is not None
    assert number.classes is None
    y[7] = 1e300
    with pytest.raises(DataError, match=r"holds 1e\+300, and float32"):
        scanned(y, "any")


def test_no_more_threads_read_than_memory_allows(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def call(self: Here, errand: Errand) -> list[errands.Looked]:
        seen.append(self.threads)
        return list(find(errand, range(len(errand.portions)), 1).looked[0])

    monkeypatch.setattr(Here, "__call__", call)
    monkeypatch.setattr("hdfs_io.hands.SMALL", 1)
    monkeypatch.setattr("hdfs_io.hands.is_here", lambda _: True)
    url = put("t.csv", "a,y\n" + "1,0\n2,1\n" * 50)
    size = len("a,y\n" + "1,0\n2,1\n" * 50)
    for memory in (None, 3 * size, 1, 1 << 40):
        scan(url, label="class", threads=8, memory=memory)
    scan(url, label="class", threads=8, memory=3 * size + 1000, keep=1000)
    assert seen == [8, 3, 1, 8, 3]
    assert size < IN_HAND
