"""Writing CSV: its header, and what a blank line would be taken for."""

from __future__ import annotations

import csv as sheets
import io
import re
from collections.abc import Sequence
from typing import Any, final

import pyarrow as pa
import pyarrow.csv as pacsv

from hdfs_io.writer import Writer, squeezed


@final
class CsvWriter(Writer):
    """Writes CSV with a header, commas (tabs where the name ends with .tsv), and quotes where a value needs them."""

    begun = False

    def opened(self) -> Any:
        return squeezed(self.raw, self.compression)

    def append(self, table: pa.Table) -> None:
        sep = "\t" if is_tsv(self.name) else ","
        if not self.begun:
            self.file.write(header_of(table.column_names, sep))
            self.begun = True
        options = pacsv.WriteOptions(include_header=False, quoting_style="needed", delimiter=sep)
        lines = without_blanks(table)
        with pacsv.CSVWriter(self.file, lines.schema, write_options=options) as writer:
            writer.write_table(lines)

    def finish(self) -> None:
        self.file.flush()


def is_tsv(name: str) -> bool:
    """Whether a file's name says that tabs separate columns."""
    return re.search(r"\.tsv(\.\w+)?$", name, re.IGNORECASE) is not None


def header_of(names: Sequence[str], sep: str) -> bytes:
    """A CSV header with quotes only where a name needs them; Arrow would put all names in quotes."""
    line = io.StringIO(newline="")
    sheets.writer(line, lineterminator="\n", delimiter=sep).writerow(names)
    return line.getvalue().encode()


def without_blanks(table: pa.Table) -> pa.Table:
    """The table; of one column, what is missing is an empty text, written in quotes: a blank line is no row."""
    if table.num_columns != 1 or not table.column(0).null_count:
        return table
    return pa.table([table.column(0).cast(pa.string()).fill_null("")], names=table.column_names)
