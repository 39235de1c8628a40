"""Writing libsvm: rows of index:value pairs."""

from __future__ import annotations

from typing import Any, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hdfs_io.bags import bagged, one_chunk
from hdfs_io.formats.tally import LABEL, QID
from hdfs_io.writer import Writer, squeezed

EMPTY = "1:0"  # a row of no label and no values in libsvm: a blank line would be none


@final
class LibsvmWriter(Writer):
    """Writes libsvm from the columns `label`, `qid` (or neither), `indices` and `values`, as `read_arrow` gives them.

    In place of the two lists, columns of numbers and vectors are written as features 1, 2, ..., zeros left out. A row
    without label and values gets a zero: a blank line is no row.
    """

    def opened(self) -> Any:
        return squeezed(self.raw, self.compression)

    def append(self, table: pa.Table) -> None:
        if "indices" not in table.column_names:
            table = bagged(table, [name for name in table.column_names if name not in (LABEL, QID)])
        heads = [table.column(name).cast(pa.string()) for name in (LABEL, QID) if name in table.column_names]
        if QID in table.column_names:
            heads[-1] = pc.binary_join_element_wise("qid:", heads[-1], "")
        pairs = pa.chunked_array([pairs_of(table)])
        lines = pc.binary_join_element_wise(*heads, pairs, " ", null_handling="skip")
        self.file.write("".join(f"{line or EMPTY}\n" for line in lines.to_pylist()).encode())

    def finish(self) -> None:
        self.file.flush()


def pairs_of(table: pa.Table) -> pa.StringArray:
    """Each row's features as `index:value index:value ...`."""
    indices, values = (one_chunk(table.column(name)) for name in ("indices", "values"))
    starts = pa.array(np.asarray(indices.offsets) - indices.offsets[0].as_py(), pa.int32())
    numbers = (each.flatten().cast(pa.string()) for each in (indices, values))
    return pc.binary_join(pa.ListArray.from_arrays(starts, pc.binary_join_element_wise(*numbers, ":")), " ")
