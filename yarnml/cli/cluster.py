"""`yarnml cluster`: a Hadoop cluster on this machine."""

from __future__ import annotations

from collections.abc import Sequence

from yarnml.errors import UsageError


def main(args: Sequence[str]) -> int:
    _ = args
    raise UsageError(
        "cluster needs the local Hadoop, which this version does not have yet; "
        "yarnml run APP --workers N needs no cluster"
    )
