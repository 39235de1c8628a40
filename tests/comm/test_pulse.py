"""Silence counts while somebody listens, not while they compute."""

from __future__ import annotations

from yarnml.comm.pulse import Pulse


def test_silence_while_listening_ends_it() -> None:
    pulse = Pulse(2.0)
    assert [pulse.gone(t / 10) for t in range(22)] == [False] * 20 + [True] * 2


def test_a_long_computation_is_no_silence() -> None:
    pulse = Pulse(2.0)
    pulse.gone(0.0)
    assert not pulse.gone(60.0)
    pulse.felt()
    assert not pulse.gone(120.0)


def test_a_beat_starts_the_count_anew() -> None:
    pulse = Pulse(1.0)
    for t in range(100):
        if t % 9 == 0:
            pulse.felt()
        assert not pulse.gone(t / 10)


def test_a_message_that_does_not_leave_is_silence_as_long_as_it_is_tried() -> None:
    pulse = Pulse(2.0)
    pulse.gone(0.0)
    pulse.missed(0.0, 0.5)
    assert not pulse.gone(0.6)
    pulse.missed(1.0, 60.0)  # the process was stopped in between
    assert not pulse.gone(60.0)
    assert pulse.gone(60.5)
