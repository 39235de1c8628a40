"""Offers: both come to the same lane or to none, and none sends by a lane that the other may not have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from yarnml.wire.alarm import Alarm
from yarnml.wire.bell import ROPES
from yarnml.wire.lane import KNOCK
from yarnml.wire.offers import Lanes, Offering
from yarnml.wire.segment import Offer

PEER = "worker 0"


@pytest.fixture
def alarm() -> Iterator[Alarm]:
    made = Alarm()
    yield made
    made.close()


@pytest.fixture
def lanes(alarm: Alarm) -> Iterator[Lanes]:
    made = Lanes(alarm)
    yield made
    made.close()


@pytest.fixture
def offering(alarm: Alarm) -> Iterator[Offering]:
    made = Offering(alarm)
    yield made
    made.close()


def test_an_offer_is_accepted_and_both_ways_are_taken(offering: Offering, lanes: Lanes) -> None:
    answer = lanes.heed(PEER, offering.frame)
    assert answer
    assert offering.heed(answer)
    up, large = offering.lane, np.arange(1 << 18, dtype=np.float32)
    assert up is not None
    assert up.send([b"head", large])
    assert up.to_knock()
    assert up.to_knock(), "the first may have got lost"
    assert lanes.heard == {}, "the channel may not have heard"
    assert lanes.heed(PEER, KNOCK) == b""
    down = lanes.heard[PEER]
    assert down.send([b"answer", large])
    assert offering.heed(KNOCK)
    assert lanes.bell is not None
    assert offering.bell is not None
    assert not up.to_knock()
    for bell, lane, head in ((lanes.bell, down, b"head"), (offering.bell, up, b"answer")):
        assert bell.answer() == 0
        came = lane.take()
        assert came is not None
        assert came[0] == head
        assert (came[1].view(np.float32) == large).all()
        assert bell.answer() is None
        assert lane.take() is None
    assert lanes.at(0) == (PEER, down)
    assert lanes.at(1) is None


def test_what_is_no_offer_and_no_answer(alarm: Alarm, offering: Offering, lanes: Lanes) -> None:
    assert lanes.heed(PEER, Offer(1, 3, bytes(16)).pack()) == b"", "it leads nowhere"
    assert lanes.heard == {}
    for frame in (b"no offer", b"", KNOCK):
        assert lanes.heed(PEER, frame) is None
        assert not offering.heed(frame)
    other = Offering(alarm)
    answer = lanes.heed(PEER, other.frame)
    assert answer
    for wrong in (answer, answer[:-1], answer + b"!", b"ya" + bytes(len(answer) - 2)):
        assert not offering.heed(wrong)
    assert offering.lane is None
    other.close()


def test_a_lane_goes_with_its_peer_once_it_was_read(offering: Offering, lanes: Lanes) -> None:
    answer = lanes.heed(PEER, offering.frame)
    assert answer
    offering.heed(answer)
    assert offering.lane is not None
    offering.lane.send([b"last words"])
    lanes.lost(PEER)
    offering.close()
    lanes.lost(PEER)
    lanes.heed(PEER, KNOCK)
    known = lanes.at(0)
    assert known is not None, "it lived, and then was still to be read"
    assert known[1].take() == [b"last words"]
    lanes.lost(PEER)
    assert lanes.at(0) is None


def test_there_are_as_many_lanes_as_ropes(alarm: Alarm, lanes: Lanes) -> None:
    offerings = [Offering(alarm) for _ in range(ROPES + 1)]
    answers = [lanes.heed(str(i), each.frame) for i, each in enumerate(offerings)]
    assert all(answers[:-1])
    assert answers[-1] == b""
    offerings[3].close()
    assert lanes.heed("another", offerings[-1].frame), "in the place of who has gone"
    again = Offering(alarm)
    assert lanes.heed("another", again.frame), "in its own place"
    for each in (*offerings, again):
        each.close()
