"""Where runs are: on this machine, and on the Hadoop cluster that is known here."""

from __future__ import annotations

from hdfs_io import DataError
from yarnml.errors import UsageError
from yarnml.runs import RunDir, all_runs, began, default_runs, find_run


def find(name: str, runs: str | None) -> RunDir:
    """The run of that id, its first letters or its URL: in `runs`, else on this machine, else on the cluster."""
    if runs is not None or "://" in name:
        return find_run(runs or default_runs(), name)
    try:
        return find_run(default_runs(), name)
    except UsageError as error:
        there = _on_cluster()
        if there is None or "begin with that" in str(error):
            raise
        try:
            return find_run(there, name)
        except UsageError as other:
            raise UsageError(f"{other}, nor in {default_runs()}") from None


def everywhere(runs: str | None) -> tuple[list[RunDir], list[str]]:
    """All runs, the oldest first, and remarks about places that can't be read."""
    if runs is not None:
        return all_runs(runs), []
    found, remarks = all_runs(default_runs()), []
    try:
        there = _on_cluster()
        found += [] if there is None else all_runs(there)
    except DataError as error:
        remarks.append(f"the cluster's runs can't be listed: {error}")
    return sorted(found, key=began), remarks


def _on_cluster() -> str | None:
    from yarnml.launch.yarn.site import default_runs as on_cluster

    return on_cluster()
