"""A handle ends what it was given, and says how it ended."""

from __future__ import annotations

import threading
import time

from yarnml.comm.events import Stop
from yarnml.comm.outcome import Outcome
from yarnml.launch.handle import Handle

WAIT = 10.0


def heed(handle: Handle) -> Outcome:
    """A job that runs until it is to end."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        wish = handle.wish()
        if wish is not None:
            return Outcome(wish.state, wish.reason)
    return Outcome("failed", "nobody asked")


def test_a_result_is_handed_over() -> None:
    handle = Handle(lambda _: Outcome("succeeded", result={"a": 1}), deadline=None)
    assert handle.wait().result == {"a": 1}
    assert handle.done


def test_a_wait_may_be_short() -> None:
    handle = Handle(heed, deadline=None)
    assert handle.wait(0.0) is None
    assert not handle.done
    handle.kill()
    assert handle.wait() == Outcome("killed", "killed by its user")


def test_the_deadline_ends_it() -> None:
    assert Handle(heed, deadline=0.05).wait() == Outcome("deadline", "the run's deadline of 0.05 s has passed")


def test_the_first_wish_stands() -> None:
    handle = Handle(heed, deadline=None)
    handle.kill("first")
    handle.kill("second")
    assert handle.wait().message == "first"
    assert handle.wish() == Stop("killed", "first", at_once=True)


def test_a_fault_of_the_driver_is_an_outcome_too() -> None:
    def broken(_: Handle) -> Outcome:
        raise OSError("no space left on device")

    outcome = Handle(broken, deadline=None).wait()
    assert outcome == Outcome("failed", "the run could not be driven: OSError: no space left on device")


def test_work_that_heeds_no_wish_is_left_behind() -> None:
    over = threading.Event()
    handle = Handle(lambda _: Outcome("succeeded", str(over.wait(WAIT))), deadline=None, abandon=0.1)
    handle.kill("enough")
    assert handle.wait() == Outcome("killed", "enough; what was running did not stop and is left behind")
    over.set()
