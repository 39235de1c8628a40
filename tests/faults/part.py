"""A part: what a worker or server of the tests with faults does, forked by the nursery."""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import final

from tests.faults.record import Recorder
from tests.faults.slow import SlowListener, SlowTransport
from tests.ps import test_mutants
from tests.ps.use import random_delta, random_rows
from tests.ps.world import World
from yarnml.comm.company import OVER
from yarnml.comm.member import Member
from yarnml.comm.seat import Seat
from yarnml.errors import RolledBack
from yarnml.ps import Client, Disagree, TableSpec, connect, resume, serve
from yarnml.ps.keys import key
from yarnml.ps.spec import resolve
from yarnml.ps.table import Tables
from yarnml.wire.zmq import ZmqTransport

SILENCE = 1.5  # s


@final
@dataclass(frozen=True, kw_only=True)
class Setting:
    """What all processes of a run know."""

    workers: int
    servers: int
    clocks: int
    free: bool  # with a table of unbounded staleness
    delay: float  # s a message, on average
    records: str
    broken: str = ""  # the servers' shard

    @property
    def specs(self) -> tuple[TableSpec, ...]:
        specs = [
            TableSpec("exact", (40, self.workers), staleness=0),
            TableSpec("lazy", (7, self.workers), dtype="int64", staleness=1, push="lazy"),
            TableSpec("loose", (33, self.workers), dtype="float64", staleness=2),
        ]
        return resolve([*specs, TableSpec("free", (20, self.workers), staleness=None)] if self.free else specs, 0)


def warm_up() -> None:
    """Have the kernels compiled or loaded before anything is forked."""
    specs = Setting(workers=2, servers=1, clocks=0, free=True, delay=0.0, records="").specs
    world = World(list(specs), workers=2, servers=1, seed=0)
    for _ in range(300):
        world.step(5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("role", "setting", "coordinator"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--index", type=int, required=True)
    said = parser.parse_args()
    setting = Setting(**json.loads(said.setting))
    if setting.broken:
        vars(sys.modules[serve.__module__])["Shard"] = getattr(test_mutants, setting.broken)
    Part(setting, Seat(said.role, said.index), said.coordinator).run()


@final
class Part:
    """What a seat does, generation for generation."""

    def __init__(self, setting: Setting, seat: Seat, coordinator: str) -> None:
        self.setting = setting
        self.transport = SlowTransport(ZmqTransport(), setting.delay, random.Random())
        self.listener = self.transport.listen() if seat.role == "server" else None
        address = "" if self.listener is None else self.listener.address
        self.member = Member.join(self.transport.quick, coordinator, seat, address=address, silence=10 * SILENCE)

    def run(self) -> None:
        while not self.done():
            self.member.join_again()
        if self.listener is not None:
            self.listener.close()
        self.member.close()
        self.transport.close()

    def done(self) -> bool:
        """False if the run has gone back."""
        try:
            if self.listener is None:
                self.work()
            else:
                self.serve(self.listener)
            self.member.finish()
        except RolledBack:
            return False
        return True

    def serve(self, listener: SlowListener) -> None:
        setting, member = self.setting, self.member
        serve(
            listener, setting.specs, server=member.seat.index, servers=setting.servers, workers=setting.workers,
            staleness=0, seed=0, check=member.check, generation=member.generation,
            checkpoint=member.roster.checkpoint, clock=member.roster.clock, marks=lambda: member.mark,
            marked=member.marked,
        )  # fmt: skip

    def work(self) -> None:
        setting, member, roster = self.setting, self.member, self.member.roster
        worker, incarnation, generation = member.seat.index, roster.incarnation, member.generation
        channels = connect(self.transport, member.servers, worker, incarnation, generation)
        try:
            clock, standing = roster.clock, None
            if roster.going:
                clock, standing = resume(
                    self.transport, channels, worker=worker, incarnation=incarnation, generation=generation,
                    check=member.check,
                )  # fmt: skip
            client = Client(
                member, self.transport, channels, setting.specs, worker=worker, staleness=0, generation=generation,
                clock=clock, incarnation=incarnation, standing=standing, deadline=60.0,
            )  # fmt: skip
            record = Path(setting.records) / f"{worker}.{generation}.{incarnation}"
            self.use(client, Recorder(record, client, setting.specs, worker))
        except Disagree as why:
            member.retreat(str(why))
        finally:
            for channel in channels:
                channel.close()

    def use(self, tables: Tables, recorder: Recorder) -> None:
        member = self.member
        if self.setting.free:
            member.keeps()
        rng = random.Random()
        self.mark(tables)
        while tables.clock_now < self.setting.clocks:
            for _ in range(rng.randrange(5)):
                self.act(recorder, rng)
            recorder.clock()
            member.report({"at": tables.clock_now})
            self.mark(tables)
        tables.end()
        if member.mark is not None and member.mark[0] > self.setting.clocks:
            member.marked(member.mark[0], OVER)
        for table in range(len(self.setting.specs)):
            recorder.get(table, None)
        tables.finish()

    def act(self, recorder: Recorder, rng: random.Random) -> None:
        table = rng.randrange(len(self.setting.specs))
        spec = self.setting.specs[table]
        rows = random_rows(rng, spec.rows)
        if rng.random() < 0.6:
            recorder.get(table, rows)
        else:
            k = key(rows, spec.name, spec.shape)
            recorder.inc(table, rows, random_delta(rng, spec, k, self.member.seat.index))

    def mark(self, tables: Tables) -> None:
        """This worker's part of a checkpoint is nothing but that it has come to its clock."""
        if self.member.mark is not None and self.member.mark[0] == tables.clock_now:
            self.member.marked(tables.clock_now)
            self.member.mark = None
