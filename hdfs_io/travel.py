"""Travel: an errand and what was found on it as bytes, from process to process. Nothing is pickled, nothing is lost.

Plain parts go as JSON (plain.py), types and arrays as Arrow IPC, which hold them exactly.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.ipc as ipc

from hdfs_io.dataset import Piece
from hdfs_io.errand import Errand, Findings, Looked
from hdfs_io.plain import of_plain, to_plain
from hdfs_io.store import open_fs
from hdfs_io.survey import Survey

PACKED = ".arrow"  # how the names of packed findings end
ARROW: dict[str, Any] = {
    "columns": (),
    "distinct": None,
    "words": {},
    "kept": None,
}  # fields of a survey that JSON can't hold: empty
ROWS = pa.schema(
    [
        ("portion", pa.int64()),  # that the piece is of
        ("piece", pa.large_string()),  # JSON
        ("survey", pa.large_string()),  # JSON: all but its types and arrays, and how these belong together
        ("columns", pa.large_binary()),  # a schema
        ("arrays", pa.list_(pa.large_binary())),  # a record batch each
    ]
)


def errand_text(errand: Errand) -> str:
    """The errand as JSON."""
    return json.dumps(to_plain(errand))


def errand_of(text: str) -> Errand:
    return of_plain(Errand, json.loads(text))


def pack(findings: Findings) -> bytes:
    """An Arrow file: a row for each piece."""
    rows = [
        {"portion": findings.first + at, "piece": json.dumps(to_plain(piece)), **_row(survey)}
        for at, looked in enumerate(findings.looked)
        for piece, survey in looked
    ]
    frame = {"first": findings.first, "portions": len(findings.looked), "fault": findings.fault}
    schema = ROWS.with_metadata({"findings": json.dumps(frame)})
    out = pa.BufferOutputStream()
    with ipc.new_file(out, schema, options=ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(pa.Table.from_pylist(rows, schema))
    return bytes(out.getvalue())


def brought(folder: str) -> list[str]:
    """The names of all packed findings in a folder."""
    fs, path = open_fs(folder)
    names = [str(entry).rpartition("/")[2] for entry in fs.ls(path, detail=False)]
    return [name for name in names if name.endswith(PACKED)]


def unpack(data: bytes) -> Findings:
    with ipc.open_file(data) as file:
        table = file.read_all()
    frame = json.loads(table.schema.metadata[b"findings"])
    looked: list[list[Looked]] = [[] for _ in range(frame["portions"])]
    for row in table.to_pylist():
        looked[row["portion"] - frame["first"]].append((of_plain(Piece, json.loads(row["piece"])), _survey(row)))
    return Findings(frame["first"], tuple(map(tuple, looked)), frame["fault"])


def _row(survey: Survey) -> dict[str, Any]:
    """One that keeps what was parsed stays where that is."""
    assert survey.kept is None
    arrays: list[pa.Array] = []

    def place(array: pa.Array | None) -> int | None:
        arrays.extend([] if array is None else [array])
        return None if array is None else len(arrays) - 1

    distinct = None if survey.distinct is None else [place(array) for array in survey.distinct]
    words = {name: place(array) for name, array in survey.words.items()}
    text = json.dumps(to_plain(replace(survey, **ARROW)) | {"distinct": distinct, "words": words})
    return {"survey": text, "columns": _schema(survey.columns), "arrays": [_batch(array) for array in arrays]}


def _survey(row: dict[str, Any]) -> Survey:
    plain = json.loads(row["survey"])
    arrays = [_array(data) for data in row["arrays"]]
    distinct, words = plain["distinct"], plain["words"]
    return replace(
        of_plain(Survey, plain | ARROW),
        columns=_columns(row["columns"]),
        distinct=None if distinct is None else tuple(arrays[at] for at in distinct),
        words={name: None if at is None else arrays[at] for name, at in words.items()},
    )


@lru_cache(maxsize=64)
def _schema(columns: tuple[tuple[str, pa.DataType], ...]) -> bytes:
    return bytes(pa.schema(columns).serialize())


@lru_cache(maxsize=64)
def _columns(schema: bytes) -> tuple[tuple[str, pa.DataType], ...]:
    """Pieces that are alike share it: there may be very many, of very many columns."""
    return tuple((field.name, field.type) for field in ipc.read_schema(pa.BufferReader(schema)))


def _batch(array: pa.Array) -> bytes:
    batch = pa.record_batch([array], ["x"])
    out = pa.BufferOutputStream()
    with ipc.new_stream(out, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(out.getvalue())


def _array(data: bytes) -> pa.Array:
    with ipc.open_stream(data) as stream:
        return stream.read_next_batch().column(0)
