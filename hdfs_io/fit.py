"""Fit: which of a data set's columns a format holds, and a table of them as it holds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self, final

import numpy as np
import pyarrow as pa

from hdfs_io.bags import NAME as FEATURES
from hdfs_io.bags import bagged, vectored
from hdfs_io.choose import broken
from hdfs_io.dataset import Dataset
from hdfs_io.decide import bare_rows
from hdfs_io.errors import DataError
from hdfs_io.formats.tally import LABEL, QID
from hdfs_io.found import Found
from hdfs_io.kinds import as_kind, is_number, is_vector
from hdfs_io.labels import is_text, numbers
from hdfs_io.options import SPARSE
from hdfs_io.spoken import listed

SHOWN = 5  # columns that a remark names
BAGS = ("indices", "values")  # the columns of rows without named ones


@final
@dataclass(frozen=True)
class Fit:
    """How the tables of a data set become those that a format holds."""

    found: Found
    dataset: Dataset
    format: str
    dst: str

    @classmethod
    def of(cls, found: Found, dataset: Dataset, format: str, dst: str) -> Self:  # noqa: A002 (the word users know)
        """DataError for what the format can't hold."""
        fit = cls(found, dataset, format, dst)
        if format == "csv":
            fit._check_csv()
        if format == "libsvm" and not fit.sparse:
            fit._check_libsvm()
        return fit

    @cached_property
    def sparse(self) -> bool:
        return self.dataset.options.format in SPARSE

    @cached_property
    def kinds(self) -> Mapping[str, pa.DataType]:
        """The columns that are written, but those of sparse rows, with their types over all files."""
        bare = self.sparse and bare_rows(self.found)
        gone = {*self.dataset.options.index, *([LABEL] if bare else [])}
        types = {name: kind for name, kind in self.found.whole.columns if name not in gone}
        text = frozenset(self.dataset.written)
        return {name: pa.string() if pa.types.is_null(kind) or name in text else kind for name, kind in types.items()}

    @cached_property
    def label(self) -> str | None:
        role = self.dataset.options.roles.label
        return None if role is None else str(role)

    @cached_property
    def features(self) -> list[str]:
        """The columns that become libsvm's features."""
        roles = self.dataset.options.roles
        if roles.features is not None:
            return [str(name) for name in roles.features]
        taken = {*map(str, roles.said().values()), *([QID] if self._has_qid else [])}
        return [name for name in self.kinds if name not in taken]

    def remarks(self) -> Iterator[str]:
        """What is lost, and what a reader may take wrongly."""
        kinds = self.kinds
        if self.format == "libsvm" and not self.sparse:
            kept = {*self.features, self.label, *([QID] if self._has_qid else [])}
            gone = [name for name in kinds if name not in kept]
            if gone:
                yield f"left out, as libsvm holds a label and features alone: {listed(gone, SHOWN)}"
        if self.sparse and self._has_qid and self.format != "libsvm":
            yield f"column {QID!r} holds groups of ranking: --features {FEATURES} leaves it out of what is learned"
        if self.format == "csv" and not any(map(is_number, kinds.values())):
            yield "all columns are words, so that who reads this may take its first line for a row: there say --header"

    def fitted(self, table: pa.Table, src: str) -> pa.Table:
        """The table as it is written."""
        table = self._alike(table, src)
        if self.sparse:
            spark = self.format in ("parquet", "arrow")
            return vectored(table, self.dataset.schema.base, self.dataset.schema.width) if spark else table
        return self._bagged(table) if self.format == "libsvm" else table

    def _alike(self, table: pa.Table, src: str) -> pa.Table:
        """Each column of the whole data set, in the type that it has there."""
        rows, own = len(table), set(table.column_names)
        columns = {
            name: as_kind(table.column(name), kind, f"{src}: column {name!r}") if name in own else pa.nulls(rows, kind)
            for name, kind in self.kinds.items()
        }
        bags = {name: table.column(name) for name in BAGS if self.sparse}
        return pa.table(columns | bags)

    def _check_csv(self) -> None:
        kinds = dict(self.kinds) | (dict.fromkeys(BAGS, pa.list_(pa.float64())) if self.sparse else {})
        for name, kind in kinds.items():
            if pa.types.is_nested(kind):
                what = "vectors" if is_vector(kind) else "lists, maps or structs"
                more = ", Arrow or libsvm" if is_vector(kind) else " or Arrow"
                raise DataError(f"{self.dst}: CSV can't hold the {what} of column {name!r}; write Parquet{more}")
            if "binary" in str(kind):
                raise DataError(f"{self.dst}: CSV holds text, and column {name!r} bytes; write Parquet or Arrow")

    def _check_libsvm(self) -> None:
        types = self.kinds
        for name in (*self.features, *([] if self.label is None else [self.label])):
            kind = types[name]
            if (wrong := broken(self.found, name)) is not None:
                raise wrong
            if not (is_number(kind) or (is_vector(kind) and name != self.label)):
                what = "words" if is_text(kind) else str(kind)
                raise DataError(
                    f"{self.dst}: libsvm holds numbers alone, and column {name!r} {what}; name the columns to write: "
                    "--label, --features"
                )

    @cached_property
    def _has_qid(self) -> bool:
        """Whether there is a column of the groups that rows are ranked in, as libsvm has them."""
        kind = self.found.whole.types.get(QID)
        return kind is not None and pa.types.is_integer(kind)

    def _bagged(self, table: pa.Table) -> pa.Table:
        heads = {}
        if self.label is not None:
            y = numbers(table.column(self.label))
            if not np.isfinite(y).all():
                raise DataError(f"{self.dst}: a label is missing, nan or inf: without one a row of libsvm can't be")
            heads[LABEL] = pa.array(y)
        if self._has_qid:
            heads[QID] = table.column(QID)
        lists = bagged(table.select(self.features), self.features)
        return pa.table(heads | {name: lists.column(name) for name in BAGS})
