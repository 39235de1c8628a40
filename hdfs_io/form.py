"""Form: how a data set is to be written: in which format, how compressed, as one file or as a directory of parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self, final

from hdfs_io.errors import DataError
from hdfs_io.guess import suffixes
from hdfs_io.writers import COMPRESSIONS, WRITERS

INSIDE = ("parquet", "arrow")  # formats that compress inside, which no name tells
ALIASES = {"gz": "gzip", "zst": "zstd", "bzip2": "bz2"}
OTHERS = re.compile(
    r"\.(jsonl?|ndjson|orc|avro|xlsx?|ods|xml|arff|hdf5?|h5|np[yz]|pkl|pickle|ipc|txt|ldac|mtx|tar|tgz|zip|xz|7z)"
    r"(\.\w+)?$|\.\w+\.(gz|bz2|zst|lz4|snappy|sz)$",
    re.IGNORECASE,
)


@final
@dataclass(frozen=True)
class Form:
    """How a data set is written."""

    format: str  # one of WRITERS
    compression: str | None  # one of the format's COMPRESSIONS; None: as is usual
    single: bool  # one file, else parts

    @classmethod
    def of(cls, dst: str, format: str | None, compression: str | None) -> Self:  # noqa: A002 (the word users know)
        """As the name tells, but for what is said. DataError for a name that would lie about what is in the file."""
        told, packed = suffixes(dst)
        single = told in WRITERS
        kind = format or (told if single and told is not None else "parquet")
        if kind not in WRITERS:
            raise DataError(f"{dst}: can't write format {kind!r}; there are: {', '.join(WRITERS)}")
        if single and told != kind:
            raise DataError(f"{dst}: its name says {told}, where {kind} is to be written; name it otherwise")
        if not single and OTHERS.search(dst.rstrip("/")):
            raise DataError(
                f"{dst}: its name says what can't be written; there are: {', '.join(WRITERS)}, by their names"
            )
        compression = ALIASES.get(str(compression), compression)
        known = COMPRESSIONS[kind]
        if compression is not None and compression not in known:
            raise DataError(f"{dst}: {kind} isn't compressed by {compression}: {', '.join(known)}")
        if single and packed is not None and (kind in INSIDE or compression not in (None, packed)):
            how = "; that is compressed inside: leave out the name's end, and say --compression" * (kind in INSIDE)
            raise DataError(f"{dst}: its name says {packed}{how or f', where it is to be {compression}'}")
        if single and kind not in INSIDE and compression != packed and compression is not None:
            raise DataError(f"{dst}: its name doesn't say that it is compressed by {compression}; let it end so")
        return cls(kind, compression or packed, single)
