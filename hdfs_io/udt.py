"""UDT: the note in a Parquet file by which Spark knows its own vectors again; without it, it reads mere structs."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from hdfs_io.kinds import is_spark

NOTE = b"org.apache.spark.sql.parquet.row.metadata"
VECTOR = {
    "type": "udt",
    "class": "org.apache.spark.ml.linalg.VectorUDT",
    "pyClass": "pyspark.ml.linalg.VectorUDT",
    "sqlType": {
        "type": "struct",
        "fields": [
            {"name": "type", "type": "byte", "nullable": False, "metadata": {}},
            {"name": "size", "type": "integer", "nullable": True, "metadata": {}},
            *(
                {
                    "name": name,
                    "type": {"type": "array", "elementType": kind, "containsNull": False},
                    "nullable": True,
                    "metadata": {},
                }
                for name, kind in (("indices", "integer"), ("values", "double"))
            ),
        ],
    },
}
NAMES = {
    pa.int8(): "byte", pa.int16(): "short", pa.int32(): "integer", pa.int64(): "long", pa.float32(): "float",
    pa.float64(): "double", pa.bool_(): "boolean", pa.string(): "string", pa.binary(): "binary", pa.date32(): "date",
}  # fmt: skip


def noted(schema: pa.Schema) -> pa.Schema:
    """The schema with the note, where it has such vectors, and nothing that Spark has no name for."""
    if not any(is_spark(field.type) for field in schema):
        return schema
    kinds = [_kind(field.type) for field in schema]
    if None in kinds:
        return schema
    fields = [
        {"name": field.name, "type": kind, "nullable": True, "metadata": {}}
        for field, kind in zip(schema, kinds, strict=True)
    ]
    note = json.dumps({"type": "struct", "fields": fields}).encode()
    return schema.with_metadata({**(schema.metadata or {}), NOTE: note})


def _kind(kind: pa.DataType) -> Any:
    """What Spark calls an Arrow type; None if nothing."""
    if is_spark(kind):
        return VECTOR
    if pa.types.is_decimal128(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz or kind.unit == "ns" else "timestamp_ntz"  # as they are written
    if pa.types.is_list(kind):
        inner = _kind(kind.value_type)
        return None if inner is None else {"type": "array", "elementType": inner, "containsNull": True}
    return NAMES.get(kind)
