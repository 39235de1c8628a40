"""A gather's answer is the same for everybody, however often it is asked for."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from yarnml.comm.meeting import Meeting


def test_the_last_part_tells_all_and_an_echo_tells_the_one_that_asks() -> None:
    meeting = Meeting(2)
    assert meeting.hand_in(1, 0, np.array([1.0])) == ()
    assert meeting.waited_for() == [0]
    assert meeting.hand_in(0, 0, np.array([0.0])) == (0, 1)
    assert meeting.waited_for() == []
    assert meeting.hand_in(1, 0, np.array([7.0])) == (1,)
    assert [part.item() for part in meeting.parts(0)] == [0.0, 1.0]


def test_an_answer_is_kept_while_anybody_may_still_ask_for_it() -> None:
    meeting = Meeting(2)
    for worker in (0, 1):
        meeting.hand_in(worker, 0, np.array([worker]))
    meeting.hand_in(0, 1, np.array([0]))  # worker 0 has seen the answer, worker 1 perhaps not
    assert meeting.hand_in(1, 0, np.array([1])) == (1,)
    meeting.hand_in(1, 1, np.array([1]))
    assert meeting.hand_in(1, 0, np.array([1])) == ()


@given(st.integers(1, 4), st.data())
def test_every_answer_is_everybodys_first_part(workers: int, data: st.DataObject) -> None:
    meeting = Meeting(workers)
    asked = [0] * workers  # the gather each worker is in
    heard: dict[int, list[list[int]]] = {}
    for step in range(data.draw(st.integers(0, 40))):
        worker = data.draw(st.integers(0, workers - 1))
        sequence = asked[worker]
        for told in meeting.hand_in(worker, sequence, np.array([worker, sequence, step])):
            parts = [part.tolist() for part in meeting.parts(sequence)]
            assert [part[:2] for part in parts] == [[w, sequence] for w in range(workers)]
            assert heard.setdefault(sequence, parts) == parts
            if asked[told] == sequence and data.draw(st.booleans(), label="the answer arrives"):
                asked[told] += 1
        meeting.check()
