"""An error is quoted so that the user sees its cause, once."""

from __future__ import annotations

import os

import pytest

from yarnml.errors import UsageError
from yarnml.launch.fault import LAST_WORDS, quoting, short, whole


def test_an_error_written_for_the_user_needs_no_type_and_no_traceback() -> None:
    error = UsageError("--lr -1: must be positive")
    assert short(error) == whole(error) == "--lr -1: must be positive"


def test_any_other_error_shows_its_type_and_in_the_log_its_place() -> None:
    with pytest.raises(KeyError) as caught:
        os.environ["NO_SUCH_VARIABLE"]
    assert short(caught.value) == "KeyError: 'NO_SUCH_VARIABLE'"
    assert "test_fault.py" in whole(caught.value)


def test_a_quote_is_the_end_of_the_log() -> None:
    text = quoting("worker 1 (pid 7) was killed", "\n".join(map(str, range(100))), "worker-1.log")
    first, head, *lines = text.splitlines()
    assert (first, head) == ("worker 1 (pid 7) was killed", "the end of worker-1.log:")
    assert lines == [f"  | {n}" for n in range(100 - LAST_WORDS, 100)]


def test_a_log_that_says_no_more_than_the_message_is_not_quoted() -> None:
    assert quoting("worker 0: no such column", "no such column\n", "worker-0.log") == "worker 0: no such column"
