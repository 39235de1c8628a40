"""Save: a whole data set written at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from hdfs_io.guess import named_format
from hdfs_io.store import join, write_text
from hdfs_io.whole import whole
from hdfs_io.writers import open_writer, part_name

SUCCESS = "_SUCCESS"  # the empty file that says a directory of parts is complete


def write(
    url: str,
    columns: Mapping[str, Any] | pa.Table,
    *,
    format: str | None = None,  # noqa: A002
    overwrite: bool = False,
) -> None:
    """Write a data set, whole or not at all: a file if the URL has a format's suffix, else a part and _SUCCESS.

    Raises DataError if `url` exists and `overwrite` isn't set.
    """
    suffix = named_format(url)
    kind = format or suffix or "parquet"
    with whole(url, overwrite) as staging:
        with open_writer(staging if suffix else join(staging, part_name(0, kind)), kind, name=url) as writer:
            writer.write(columns)
        if not suffix:
            write_text(join(staging, SUCCESS), "")
