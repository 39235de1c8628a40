"""The label that is guessed is one, or is refused by name."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from hdfs_io import DataError, ReadOptions, Roles, describe, scan
from hdfs_io.target import are_classes, guess, left_in, named, plausible

Put = Callable[[str, str | bytes], str]


def table(rows: int, row: Callable[[int], object], head: str = "") -> str:
    return head + "".join(f"{row(i)}\n" for i in range(rows))


def test_few_values_of_many_rows_are_classes() -> None:
    assert plausible(7, 92_962)
    assert plausible(40, 400)
    assert not plausible(41, 400)
    assert not plausible(437, 4_509)
    assert plausible(1_000, 10**7)
    assert not plausible(1_001, 10**9)


@pytest.mark.parametrize(
    ("values", "want"),
    [
        ([0, 1, 1, 0], True),
        ([0.0, 1.0, 1.0, None], True),
        ([0.5, 1.0, 0.5, 1.0], False),
        ([1, 1, 1, 1], False),
        ([*range(100)], False),
        (["no", " yes", "yes", "no"], True),
        ([True, False], True),
        ([None, None], False),
    ],
)
def test_what_classes_look_like(values: list[object], want: bool) -> None:
    assert are_classes(pa.chunked_array([values])) == want


def test_by_name_then_by_place() -> None:
    assert [named(names) for names in (["a", "Y", "z"], ["class", "label"], ["a", "b"])] == ["Y", "label", None]
    few, numbers = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
    assert guess(["a", "b"], pa.table({"a": few, "b": few})) == "b"
    assert guess(["a", "b"], pa.table({"a": few, "b": numbers})) == "a"
    assert guess(["a", "b"], pa.table({"a": numbers, "b": numbers})) == "b"
    assert left_in(["a", "b"], pa.table({"a": few, "b": numbers})) == ["a"]
    assert left_in(["a", "y", "b"], pa.table({"a": few, "y": few, "b": numbers})) == ["y"]
    assert left_in(["x", "y"], pa.table({"x": numbers, "y": numbers})) == []
    assert left_in(["a"], pa.table({"a": few})) == []


def test_without_header_the_label_may_come_first(put: Put) -> None:
    url = put("higgs", table(300, lambda i: f"{i % 2}.0\t{i / 7:.3f}\t{i / 3:.3f}"))
    dataset = scan(url, label="class")
    assert dataset.schema.label is not None
    assert (dataset.schema.label.name, dataset.schema.label.classes) == ("c0", (0, 1))
    assert "label is column 'c0': guessed, as none was said" in dataset.notes
    assert scan(url, label="number").schema.features == ("c0", "c1")


def test_numbers_are_no_classes_also_where_said(put: Put) -> None:
    url = put("p.csv", "age,lpsa\n" + table(97, lambda i: f"{i % 9},{0.765 + i}"))
    why = (
        r"p\.csv: label 'lpsa' holds numbers such as 0\.765 \(97 different in 97 rows\), not classes; say which column"
    )
    for roles in (Roles(), Roles(label="lpsa")):
        with pytest.raises(DataError, match=why):
            scan(url, ReadOptions(roles=roles), label="class")
    assert "label 'lpsa': a number" in describe(url)
    assert "a classifier refuses this: label 'lpsa' holds numbers" in describe(url)
    with pytest.raises(DataError, match=r"'label' holds numbers such as 0\.5 .* not classes; use an app that predicts"):
        scan(put("r.libsvm", "0.5 1:1\n1 1:2\n"), label="class")


@pytest.mark.parametrize("value", ["{}", "test.{}"])
def test_a_guess_with_too_many_values_is_refused_and_said_it_is_remarked_on(put: Put, value: str) -> None:
    url = put("r.csv", "user,time\n" + table(900, lambda i: f"{i % 9},{value.format(i // 2)}"))
    why = r"column 'time' was taken for the label, .* hardly classes \(450 different in 900 rows\); say which .*--label"
    with pytest.raises(DataError, match=why):
        scan(url, label="class")
    assert "a classifier refuses this: column 'time' was taken" in describe(url)
    said = ReadOptions(roles=Roles(label="time"))
    dataset = scan(url, said, label="class")
    assert dataset.schema.classes == 450
    many = "label 'time' has 450 classes in 900 rows"
    assert any(many in note for note in dataset.notes)
    assert many in describe(url, said)
    named = scan(put("y.csv", "user,y\n" + table(900, lambda i: f"{i % 9},{i // 2}")), label="class")
    assert named.schema.classes == 450


def test_a_label_among_the_features_is_pointed_out(put: Put) -> None:
    url = put("zip.train", table(99, lambda i: f"{i % 5}.0000 {i / 7:.4f} {i / 9:.4f}"))
    assert scan(url, label=None).notes == ("column 'c0' looks like a label: --label c0 leaves it out",)
    for roles in (Roles(label="c0"), Roles(features=("c0", "c1"))):
        assert scan(url, ReadOptions(roles=roles), label=None).notes == ()
