"""Writing Parquet."""

from __future__ import annotations

from typing import Any, final

import pyarrow as pa
import pyarrow.parquet as pq

from hdfs_io.udt import noted
from hdfs_io.writer import Writer


@final
class ParquetWriter(Writer):
    """Writes Parquet, a row group a batch."""

    inner: pq.ParquetWriter | None = None

    def opened(self) -> Any:
        return self.raw

    def append(self, table: pa.Table) -> None:
        if self.inner is None:
            fine = any("timestamp[ns" in str(field.type) for field in table.schema)
            self.inner = pq.ParquetWriter(
                self.file,
                noted(table.schema),
                compression=self.compression or "snappy",
                use_deprecated_int96_timestamps=fine,  # Spark and Hive know no other times of nanoseconds
            )
        self.inner.write_table(table.cast(self.inner.schema))

    def finish(self) -> None:
        if self.inner is not None:
            self.inner.close()
