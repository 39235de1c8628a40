"""A resource: a file or an archive that YARN puts into a container's working directory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

RESERVED = frozenset({"env", "code", "wheels", "py", "app"})


@final
@dataclass(frozen=True)
class Resource:
    """Archives are unpacked to a folder. Those on the cluster's store are the user's own and kept by the nodes
    (visibility PRIVATE: a home directory needn't be open to all, and numba may keep what it compiled beside the code).
    """

    name: str  # in the container
    url: str  # on the cluster's store, or a path of this machine
    archive: bool
