"""`yarnml submit`: an app on a Hadoop cluster."""

from __future__ import annotations

from collections.abc import Sequence

from yarnml.errors import UsageError


def main(args: Sequence[str]) -> int:
    app = next((arg for arg in args if not arg.startswith("-")), "APP")
    raise UsageError(
        f"submit needs the YARN launcher, which this version does not have yet; "
        f"yarnml run {app} --workers N runs the same app in several processes of this machine"
    )
