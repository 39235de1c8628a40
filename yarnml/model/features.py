"""Features: whatever a caller holds rows in, as the matrix that kernels take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR, Keys, Schema
from hdfs_io.encode import encode
from yarnml.errors import UsageError, nearest

Unknown = Literal["stop", "drop"]


def matrix(X: Any, schema: Schema, unknown: Unknown = "stop") -> NDArray[np.float32] | CSR:
    """X as float32 (rows, width): dense, or CSR if it is sparse. UsageError if its columns aren't the schema's.

    `unknown`: whether a word or, of sparse rows, a feature that the schema doesn't know is an error or left out.
    """
    if schema.user is not None:
        return np.empty((len(X), 0), np.float32)
    if isinstance(X, CSR):
        found: NDArray[np.float32] | CSR = X
    elif hasattr(X, "tocsr"):
        found = _from_scipy(X.tocsr()[:, : schema.width] if unknown == "drop" else X)
    elif hasattr(X, "column_names") or hasattr(X, "columns"):
        found = _from_table(X, schema, unknown)
    elif schema.scales is not None and np.ndim(X) == 2 and np.shape(X)[1] == schema.width:
        found = (np.asarray(X, np.float64) * np.array(schema.scales)).astype(np.float32)
    else:
        found = np.ascontiguousarray(X, dtype=np.float32)
    if len(found.shape) != 2 or found.shape[1] != schema.width:
        raise UsageError(f"the model takes rows of {schema.width} features, got an array of shape {found.shape}")
    return found


def keys(X: Any, schema: Schema) -> tuple[Keys, ...]:
    """The users and items of rows that are ratings; of other rows none."""
    if schema.user is None or schema.item is None:
        return ()
    if hasattr(X, "column_names") or hasattr(X, "columns"):
        known = _known(X, (schema.user, schema.item))
        columns = [X[known[name]] for name in (schema.user, schema.item)]
    elif len(shape := np.shape(X)) == 2 and shape[1] == 2:
        columns = [[row[k] for row in X] if isinstance(X, list) else np.asarray(X)[:, k] for k in (0, 1)]
    else:
        raise UsageError(f"the model takes rows of a user and an item, got an array of shape {np.shape(X)}")
    return tuple(Keys.of(column) for column in columns)


def _from_scipy(X: Any) -> CSR:
    csr = X.tocsr()
    if not csr.has_sorted_indices:
        csr = csr.sorted_indices()
    indptr, indices = csr.indptr.astype(np.int64), csr.indices.astype(np.int32)
    return CSR(indptr, indices, csr.data.astype(np.float32), csr.shape[1])


def _from_table(X: Any, schema: Schema, unknown: Unknown) -> NDArray[np.float32]:
    """The schema's features out of a pandas or Arrow table, by name, in the schema's order."""
    names = list(X.column_names if hasattr(X, "column_names") else X.columns)
    wanted = tuple(each.column for each in schema.columns) or tuple(names)
    known = _known(X, wanted)
    if schema.columns:
        return encode(lambda name: X[known[name]], len(X), schema, unknown)
    rows = np.empty((len(X), len(wanted)), np.float32)
    for place, name in enumerate(wanted):
        rows[:, place] = np.asarray(X[known[str(name)]], dtype=np.float32)
    return rows


def _known(X: Any, wanted: Sequence[Any]) -> dict[str, Any]:
    """A table's columns by their names as text. UsageError if it lacks a wanted one."""
    known = {str(name): name for name in (X.column_names if hasattr(X, "column_names") else X.columns)}
    for name in wanted:
        if str(name) not in known:
            raise UsageError(f"the table has no column {name!r}, which the model was trained on{nearest(name, known)}")
    return known
