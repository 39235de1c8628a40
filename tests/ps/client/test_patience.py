"""Patience: a wait ends with what is waited for, or with an error that says what was."""

from __future__ import annotations

import pytest

from yarnml.comm.company import Alone
from yarnml.errors import PeerLost, RunFailed
from yarnml.ps.client.patience import Patience
from yarnml.wire.transport import Status


def alone() -> Alone:
    return Alone(lambda _: None, lambda: None)


def test_a_wait_listens_until_it_is_ready() -> None:
    heard: list[int] = []

    def listen() -> bool:
        heard.append(len(heard))
        return True

    Patience(alone(), None, listen=listen, nudge=lambda: None).wait(lambda: len(heard) == 3, lambda: "three")
    assert heard == [0, 1, 2]


def test_a_wait_beyond_its_deadline_says_for_what() -> None:
    patience = Patience(alone(), 0.0, listen=lambda: False, nudge=lambda: None)
    with pytest.raises(PeerLost, match=r"waited 0 s for server 3 to answer; look at its log"):
        patience.wait(lambda: False, lambda: "server 3 to answer")


def test_who_has_no_room_is_tried_again() -> None:
    said = iter([Status.FULL, Status.FULL, Status.SENT])
    Patience(alone(), None, listen=lambda: False, nudge=lambda: None).insist(lambda: next(said), 0)
    assert next(said, None) is None


def test_who_never_has_room_is_lost() -> None:
    patience = Patience(alone(), 0.0, listen=lambda: False, nudge=lambda: None)
    with pytest.raises(PeerLost, match="server 2 has taken no message for 0 s"):
        patience.insist(lambda: Status.FULL, 2)


def test_a_run_that_ends_ends_a_wait_for_room() -> None:
    def ended() -> None:
        raise RunFailed("the run has ended")

    patience = Patience(Alone(lambda _: None, ended), None, listen=lambda: False, nudge=lambda: None)
    with pytest.raises(RunFailed):
        patience.insist(lambda: Status.FULL, 0)
