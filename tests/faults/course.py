"""The course of a run with faults: its generations, checkpoints and records, and what the judge says of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import numpy as np

from tests.faults.part import Setting
from tests.faults.record import Line, add, recorded, replay
from tests.ps.history import History
from yarnml.ps.checkpoint.files import Saved

Records = dict[int, list[Line]]  # by worker: all that its processes did in one generation


@final
@dataclass
class Course:
    """What the driver of a run takes note of."""

    begins: list[int] = field(default_factory=lambda: [0])  # clock at which each generation begins
    checkpoints: list[tuple[int, int, str]] = field(default_factory=list)  # (generation, clock, url)
    replaced: int = 0

    def judge(self, setting: Setting) -> int:
        """Raise AssertionError if anything was not as promised. How many gets were judged."""
        judged = 0
        before: Records = {worker: [] for worker in range(setting.workers)}
        for generation, clock in enumerate(self.begins):
            before = {worker: until(lines, clock) for worker, lines in before.items()}
            records = _records(setting, generation)
            for reader, lines in records.items():
                history = History(setting.specs, setting.workers)
                for worker in records:
                    add(history, worker, before[worker] if worker == reader else before[worker] + records[worker])
                judged += replay(history, reader, lines)
            before = {worker: before[worker] + lines for worker, lines in records.items()}
            self._judge_checkpoints(setting, generation, before)
        self._judge_ends(setting, before)
        return judged

    def _judge_checkpoints(self, setting: Setting, generation: int, records: Records) -> None:
        for its, clock, url in self.checkpoints:
            if its == generation:
                history = known(setting, records)
                saved = Saved(url, clock)
                for table, spec in enumerate(setting.specs):
                    values = np.concatenate([chunk.values for chunk in saved.chunks(spec, 0, spec.rows)])
                    np.testing.assert_array_equal(values, history.total(table, clock), f"checkpoint at {clock}")

    def _judge_ends(self, setting: Setting, records: Records) -> None:
        """Every worker has seen everything once, when all was over."""
        history = known(setting, records)
        for lines in records.values():
            last = lines[-len(setting.specs) :]
            assert [line[0] for line in last] == ["get"] * len(setting.specs), "a worker hasn't read to the end"
            for _, _, table, _, got in last:
                np.testing.assert_array_equal(np.array(got), history.total(table))


def known(setting: Setting, records: Records) -> History:
    history = History(setting.specs, setting.workers)
    for worker, lines in records.items():
        add(history, worker, lines)
    return history


def until(lines: list[Line], clock: int) -> list[Line]:
    """What a worker did before a clock, as it counts; then the run goes back to it."""
    begun: list[Line] = []
    for line in lines:
        if line[0] == "begin":
            begun = [each for each in begun if each[1] < line[1]]
        if line[1] < clock or line[0] == "begin":
            begun.append(line)
    return [line for line in begun if line[0] == "inc"] + [["back", clock]]


def _records(setting: Setting, generation: int) -> Records:
    folder = Path(setting.records)
    found: Records = {}
    for worker in range(setting.workers):
        paths = sorted(folder.glob(f"{worker}.{generation}.*"), key=lambda path: int(path.suffix[1:]))
        found[worker] = [line for path in paths for line in recorded(path)]
    return found
