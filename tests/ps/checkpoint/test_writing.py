"""Writing: it goes on by itself, and what goes wrong is known."""

from __future__ import annotations

import threading

from yarnml.ps.checkpoint.writing import Writing


def test_it_is_done_when_it_has_written() -> None:
    go, written = threading.Event(), []

    def write() -> None:
        assert go.wait(20)
        written.append(1)

    writing = Writing(write)
    assert not writing.wait(0.0)
    assert not writing.done
    go.set()
    assert writing.wait(20)
    assert writing.done
    assert (written, writing.error) == ([1], "")


def test_what_goes_wrong_is_known() -> None:
    def write() -> None:
        raise OSError("no space left on device")

    writing = Writing(write)
    assert writing.wait(20)
    assert writing.error == "OSError: no space left on device"
