"""Standing: what status.json says of a run's containers, those that are there and those that are waited for."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, final

from hdfs_io import DataError
from yarnml.comm.coordinator import Coordinator
from yarnml.comm.effects import Report
from yarnml.comm.seat import spoken
from yarnml.launch.yarn.inside import Inside
from yarnml.launch.yarn.manager import Manager
from yarnml.launch.yarn.memory import resident
from yarnml.launch.yarn.refuse import waiting_for
from yarnml.launch.yarn.spec import Service, Size

ASK = 5.0  # seconds between two questions to the ResourceManager


@final
class Standing:
    def __init__(self, inside: Inside, coordinator: Coordinator, manager: Manager, *, before: int = 0) -> None:
        """`inside`: what the scheduler finds around it; `before`: restarts of the run before this scheduler."""
        self._inside, self._coordinator = inside, coordinator
        self._limits = inside.spec.limits
        self._wanted = 1 + inside.job.workers + inside.job.servers
        self._manager, self._before = manager, before
        self._latest: dict[tuple[str, int], dict[str, float]] = {}
        self._ask_at = 0.0
        self._why = ""

    def take(self, report: Report) -> None:
        """What a role said of itself."""
        self._latest.setdefault((report.role, report.worker), {}).update(report.numbers)

    @property
    def restarts(self) -> int:
        """Deaths that the run was brought back from."""
        return self._before + self._coordinator.restarts

    def fields(self) -> dict[str, Any]:
        """What a glance has beside the workers' progress."""
        return {"waiting": self.waiting(), "restarts": self.restarts, "containers": tuple(self._containers())}

    def waiting(self, *, fresh: bool = False) -> str:
        """`3 of 5 containers; waiting: workers 1, 2 (why)`, empty once all are there. `fresh`: why as of now."""
        missing = self._coordinator.missing()
        if not missing:
            return ""
        if fresh or time.monotonic() >= self._ask_at:
            self._ask_at = time.monotonic() + ASK
            counts = Counter(seat.role for seat in missing)
            services = [Service(role, n, Size(self._limits[role], 1)) for role, n in counts.items()]
            with suppress(DataError, LookupError):
                self._why = waiting_for(services, self._manager.nodes())
        why = f" ({self._why})" if self._why else ""
        here = self._wanted - len(missing)
        return f"{here} of {self._wanted} containers; waiting: {spoken(missing)}{why}"

    def _containers(self) -> list[dict[str, Any]]:
        name = f"host {self._inside.host}, {self._inside.container}"
        rows = [_row("scheduler", name, {"memory": resident()}, self._inside.limit)]
        for entry in self._coordinator.here():
            said = self._latest.get((entry.seat.role, entry.seat.index), {})
            rows.append(_row(str(entry.seat), entry.name, said, self._limits[entry.seat.role]))
        return rows


def _row(seat: str, name: str, said: Mapping[str, float], limit: int) -> dict[str, Any]:
    """One container as status.json has it; memory in MiB."""
    return {"seat": seat, "name": name, "clock": said.get("clock"), "mb": said.get("memory"), "limit": limit}
