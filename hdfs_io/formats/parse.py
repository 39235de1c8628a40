"""Parse: what Arrow makes of a block of CSV, of columns whose types are known or guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import pyarrow as pa
import pyarrow.csv as pacsv

from hdfs_io.codes import Codes, Ends, losses, suspected
from hdfs_io.labels import MISSING
from hdfs_io.text import Block

KINDS = {"double": pa.float64(), "int64": pa.int64(), "string": pa.string()}
TRUE, FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")  # 1 beside them is a word

Types = Mapping[str, pa.DataType]


@final
@dataclass(frozen=True)
class Grammar:
    """How rows are written."""

    sep: str
    quoted: bool  # double quotes enclose fields
    names: tuple[str, ...]

    def parse(self, block: Block, columns: Sequence[str] | None, types: Types) -> pa.Table:
        """The block's columns (None: all). It need not find out the `types` that are given, if they prove to fit.

        Dates and times are text as it is written. Raises what Arrow does.
        """
        text = {name: kind for name, kind in types.items() if kind == pa.string()}
        for some in (types, text) if len(text) < len(types) else (text,) if text else ():
            try:
                return self._typed(block, columns, some)
            except pa.ArrowInvalid:  # as for a number with a plus sign, or text that isn't UTF-8
                continue
        return self._typed(block, columns, {})

    def codes(self, block: Block, table: pa.Table, ends: Ends) -> Codes:
        """The table's columns of numbers whose text in the block says more than these do."""
        some = suspected(block, ord(self.sep), self.names, table, ends)
        if not some:
            return {}
        text = self._typed(block, some, dict.fromkeys(some, pa.string()))
        return {name: what for name in some if (what := losses(text.column(name)))}

    def _typed(self, block: Block, columns: Sequence[str] | None, types: Types) -> pa.Table:
        text = block.data[block.lo : block.hi].data
        table = pacsv.read_csv(
            pa.BufferReader(pa.py_buffer(text)),
            pacsv.ReadOptions(use_threads=False, block_size=len(text) + 1, column_names=list(self.names)),
            pacsv.ParseOptions(
                delimiter=self.sep, quote_char='"' if self.quoted else False, newlines_in_values=self.quoted
            ),
            pacsv.ConvertOptions(
                null_values=MISSING,
                true_values=TRUE,
                false_values=FALSE,
                include_columns=columns,
                column_types=types,
                timestamp_parsers=[],
            ),
        )
        dates = [field.name for field in table.schema if pa.types.is_temporal(field.type)]
        if not dates:
            return table
        words = self._typed(block, dates, dict.fromkeys(dates, pa.string()))
        return pa.table({name: (words if name in dates else table).column(name) for name in table.column_names})
