"""A segment is opened by whom it was offered to, and by nobody else; it leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest

from yarnml.wire.segment import HEAD, Offer, Segment

SIZE = 1 << 16
WAIT = 10.0  # s


@pytest.fixture
def made() -> Segment:
    segment = Segment.make(SIZE)
    assert segment is not None
    return segment


def test_both_see_what_one_writes(made: Segment) -> None:
    opened = Segment.open(made.offer, SIZE)
    assert opened is not None
    made.memory[HEAD : HEAD + 5] = b"hello"
    assert opened.memory[HEAD : HEAD + 5] == b"hello"


def test_an_offer_survives_the_wire(made: Segment) -> None:
    assert Offer.unpack(made.offer.pack()) == made.offer
    assert Offer.unpack(b"yo") is None
    assert Offer.unpack(bytes(len(made.offer.pack()))) is None


def test_what_is_not_what_was_offered_is_not_opened(made: Segment, tmp_path: Path) -> None:
    assert Segment.open(made.offer, 2 * SIZE) is None
    assert Segment.open(replace(made.offer, token=bytes(16)), SIZE) is None
    assert Segment.open(replace(made.offer, fd=9999), SIZE) is None
    assert Segment.open(replace(made.offer, pid=2**31 - 1), SIZE) is None
    with (tmp_path / "file").open("wb+") as file:
        file.write(made.offer.token)
        file.truncate(HEAD + SIZE)
        assert Segment.open(Offer(os.getpid(), file.fileno(), made.offer.token), SIZE) is None, "it could shrink"
    opened = Segment.open(made.offer, SIZE)
    assert opened is not None
    assert opened.offered
    made.withdraw()
    assert Segment.open(made.offer, SIZE) is None
    assert not opened.offered


HOLDER = f"""
import sys
from yarnml.wire.segment import Segment
segment = Segment.make({SIZE})
segment.memory[:] = segment.memory[:]
print(segment.offer.pack().hex(), flush=True)
sys.stdin.read()
"""


def test_kill_9_of_both_leaves_nothing() -> None:
    before = set(os.listdir("/dev/shm"))
    maker = subprocess.Popen([sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert maker.stdin is not None
    assert maker.stdout is not None
    offer = Offer.unpack(bytes.fromhex(maker.stdout.readline()))
    assert offer is not None
    opened = Segment.open(offer, SIZE)
    assert opened is not None
    inode = os.stat(f"/proc/{maker.pid}/fd/{offer.fd}").st_ino
    assert _mapped(inode) == {maker.pid, os.getpid()}
    os.kill(maker.pid, signal.SIGKILL)
    maker.communicate()
    opened.memory[HEAD : HEAD + 5] = b"still"  # whoever lives may go on
    opened.memory.close()
    end = monotonic() + WAIT
    while _mapped(inode):
        assert monotonic() < end, "somebody still has it"
    assert {name for name in set(os.listdir("/dev/shm")) - before if "yarnml" in name} == set()


def _mapped(inode: int) -> set[int]:
    """The processes that have our memory with this number."""
    found = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            lines = maps.read_text().splitlines()
        except OSError:
            continue
        if any("memfd:yarnml" in line and int(line.split()[4]) == inode for line in lines):
            found.add(int(maps.parent.name))
    return found
