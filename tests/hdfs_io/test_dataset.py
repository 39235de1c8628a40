"""A data set survives its way through JSON to other processes."""

from __future__ import annotations

import json

from hdfs_io import Dataset, Label, Piece, ReadOptions, Roles, Schema


def test_json_and_back() -> None:
    dataset = Dataset(
        url="hdfs://ns/d",
        options=ReadOptions("csv", ",", True, Roles(label="y", features=("a", "b")), "drop", "zero"),
        schema=Schema(False, 2, 0, ("a", "b"), Label("y", ("no", "yes")), "w", "key"),
        pieces=(Piece("hdfs://ns/d/0", 3, 9, 0, 2), Piece("hdfs://ns/d/1", 0, 1 << 62, 2, 5, 7)),
        rows=7,
        types=(("a", "double"),),
        has_label=False,
        notes=("said",),
        kept=(object(),),
    )
    again = Dataset.from_json(json.loads(json.dumps(dataset.to_json())))
    assert again == dataset
    assert again.kept is None


def test_classes_keep_their_types() -> None:
    for classes in ((0, 1), (False, True), (0.5, 1), ("0", "1"), None):
        schema = Schema(True, 1, label=Label("y", classes))
        again = Schema.from_json(json.loads(json.dumps(schema.to_json())))
        assert again.label is not None
        assert repr(again.label.classes) == repr(classes)
        assert again.classes == len(classes or ())
    assert Schema(True, 1).classes == 0
