"""Rejects: the rows that are left out because the user said so, with the reasons."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from hdfs_io.errors import DataError
from hdfs_io.found import Found
from hdfs_io.spoken import many
from hdfs_io.store import write_text
from hdfs_io.survey import Reject


def refuse_many_rejects(found: Found) -> None:
    """Raise DataError where more rows can't be used than can: that is another format, or the wrong options."""
    rejects = found.whole.rejects
    if len(rejects) > max(1, found.whole.rows):
        raise DataError(
            f"{rejects[0].place}: {many(len(rejects), 'row')} can't be used and {found.whole.rows:,} can "
            f"({rejects[0].kind}, the first here); is the data said right? (`yarnml data describe`)"
        )


def write_rejects(url: str, rejects: Sequence[Reject]) -> None:
    """Write a line of JSON for each: kind, place and text. The file is written where there are none, too."""
    write_text(url, "".join(json.dumps(asdict(reject), ensure_ascii=False) + "\n" for reject in rejects))
