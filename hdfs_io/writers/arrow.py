"""Writing Arrow IPC."""

from __future__ import annotations

from typing import Any, final

import pyarrow as pa
import pyarrow.ipc as ipc

from hdfs_io.writer import Writer


@final
class ArrowWriter(Writer):
    """Writes an Arrow IPC file, a record batch a batch; compressed it is by lz4 or zstd."""

    inner: ipc.RecordBatchFileWriter | None = None
    schema: pa.Schema | None = None

    def opened(self) -> Any:
        return self.raw

    def append(self, table: pa.Table) -> None:
        if self.inner is None:
            self.schema = table.schema
            options = ipc.IpcWriteOptions(compression=self.compression)
            self.inner = ipc.new_file(self.file, self.schema, options=options)
        self.inner.write_table(table.cast(self.schema))

    def finish(self) -> None:
        if self.inner is not None:
            self.inner.close()
