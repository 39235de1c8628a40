"""Frames: whatever arrives is a message or a WireError."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tests.conformance.test_transport import MESSAGES, same
from yarnml.wire.forms import MAX_TEXT
from yarnml.wire.frames import HEADER, WireError, decode, encode
from yarnml.wire.message import Beat, EndClock, Fail, Message, Patch


def bytes_of(message: Message) -> list[bytes]:
    return [frame if isinstance(frame, bytes) else frame.tobytes() for frame in encode(message)]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda m: type(m).__name__)
def test_there_and_back(message: Message) -> None:
    assert same(decode(bytes_of(message)), message)


def test_an_array_that_is_not_contiguous() -> None:
    values = np.arange(12.0).reshape(3, 4).T
    came = decode(bytes_of(EndClock(patches=(Patch(0, 0, None, values),))))
    assert isinstance(came, EndClock)
    np.testing.assert_array_equal(came.patches[0].values, values)


def test_a_text_that_cannot_be_said_in_unicode_arrives() -> None:
    came = decode(bytes_of(Fail(error="no file \udcff")))
    assert came == Fail(error="no file \\udcff")


def test_a_long_text_is_cut_between_letters() -> None:
    came = decode(bytes_of(Fail(error="a" + "€" * MAX_TEXT)))
    assert isinstance(came, Fail)
    assert set(came.error) == {"a", "€"}
    assert MAX_TEXT - 4 < len(came.error.encode()) <= MAX_TEXT


@pytest.mark.parametrize(
    "frames",
    [
        [],
        [b""],
        [b"yw"],
        [b"xx" + encode(Beat())[0][2:]],
        [*encode(Beat()), b"more"],
        [encode(Beat())[0] + b"more"],
        [bytes(HEADER.size)],
    ],
    ids=["none", "empty", "short", "magic", "frame", "tail", "zeros"],
)
def test_no_message(frames: list[Any]) -> None:
    with pytest.raises(WireError):
        decode(frames)


def mutate(rng: random.Random, frames: list[bytes]) -> list[bytes]:
    """A few random changes of bytes, lengths and order."""
    out = [bytearray(frame[:4000]) for frame in frames]
    for _ in range(rng.randrange(1, 5)):
        frame = rng.choice(out) if out else bytearray()
        what = rng.randrange(6)
        if what <= 2 and frame:
            frame[rng.randrange(min(len(frame), 200))] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
        elif what == 3 and frame:
            del frame[rng.randrange(len(frame)) :]
        elif what == 4:
            frame.extend(rng.randbytes(rng.randrange(60)))
        elif out:
            out.insert(rng.randrange(len(out)), bytearray(rng.randbytes(rng.randrange(100))))
            if rng.random() < 0.5:
                out.pop(rng.randrange(len(out)))
    return [bytes(frame) for frame in out]


def storm(count: int) -> int:
    """How many of so many mutated messages are refused."""
    rng = random.Random(5)
    refused = 0
    for _ in range(count):
        try:
            decode(mutate(rng, bytes_of(rng.choice(MESSAGES))))
        except WireError:
            refused += 1
    return refused


def test_mutated_messages_are_refused_or_messages() -> None:
    assert 1000 < storm(3000) < 3000


@pytest.mark.full
@pytest.mark.timeout(1000)
def test_mutated_messages_full() -> None:
    assert storm(100_000) > 30_000
