"""With keys, only who has them gets through, and who was refused is said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import monotonic

import pytest

from yarnml.errors import UsageError
from yarnml.wire.keys import Keys
from yarnml.wire.message import Ack, Beat
from yarnml.wire.transport import Listener, Status
from yarnml.wire.zmq import ZmqTransport, new_keys

WAIT = 10.0  # s
OURS, OTHERS = new_keys(), new_keys()


@pytest.fixture
def listener() -> Iterator[Listener]:
    transport = ZmqTransport(keys=OURS)
    made = transport.listen()
    yield made
    made.close()
    transport.close()


def test_who_has_the_keys_is_heard_and_answered(listener: Listener) -> None:
    transport = ZmqTransport(keys=OURS)
    channel = transport.connect(listener.address, "worker 0")
    assert channel.send(Ack(seq=7)) is Status.SENT
    assert listener.recv(WAIT) == ("worker 0", Ack(seq=7))
    assert listener.send("worker 0", Beat()).status is Status.SENT
    assert channel.recv(WAIT) == Beat()
    assert listener.refused == 0
    channel.close()
    transport.close()


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        pytest.param(None, "it doesn't know this run's keys", id="none"),
        pytest.param(OTHERS, "it doesn't know this run's keys", id="another run's"),
        pytest.param(replace(OTHERS, listener=OURS.listener), "its key isn't this run's", id="its own"),
    ],
)
def test_who_has_not_is_refused_by_address_and_counted(
    listener: Listener, keys: Keys | None, why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    transport = ZmqTransport(keys=keys)
    channel = transport.connect(listener.address, "worker 0")
    assert channel.send(Ack(seq=7)) is Status.FULL
    end, said = monotonic() + WAIT, ""
    refused = ("refused a connection from 127.0.0.1:", "refused a connection from somebody who has gone")
    while not any(words in said for words in refused):  # it tries again and again, and may be gone each time
        assert listener.recv(0.01) is None
        said += capfd.readouterr().err
        assert monotonic() < end, said
    assert why in said
    assert listener.refused
    assert listener.send("worker 0", Beat()).status is Status.GONE
    channel.close()
    transport.close()


def test_another_runs_listener_learns_nothing(listener: Listener) -> None:
    """Somebody may sit at the address that we take for our listener's."""
    transport = ZmqTransport(keys=replace(OURS, listener=OTHERS.listener))
    channel = transport.connect(listener.address, "worker 0")
    assert channel.send(Ack()) is Status.FULL
    channel.close()
    transport.close()


def test_a_refused_peer_keeps_nobody_else_out(listener: Listener, capfd: pytest.CaptureFixture[str]) -> None:
    strange, good = ZmqTransport(), ZmqTransport(keys=OURS)
    stranger, channel = strange.connect(listener.address, "worker 0"), good.connect(listener.address, "worker 0")
    assert stranger.send(Ack(seq=1)) is Status.FULL
    for seq in range(100):
        assert channel.send(Ack(seq=seq)) is Status.SENT
    for seq in range(100):
        assert listener.recv(WAIT) == ("worker 0", Ack(seq=seq))
    assert capfd.readouterr().err.count("refused") <= 2, "said once, and then at the tenth time"
    for end in (stranger, channel, strange, good):
        end.close()


def test_keys_in_a_file() -> None:
    assert Keys.from_json(OURS.to_json()) == OURS
    for text in ("", "[]", "{}", "null", OURS.to_json()[:-9], OURS.to_json().replace(OURS.listener, "short")):
        with pytest.raises(UsageError, match="no file with the keys") as raised:
            Keys.from_json(text)
        assert OURS.listener_secret not in str(raised.value)


def test_keys_hide_their_secrets_from_whoever_prints_them() -> None:
    assert OURS.listener_secret not in repr(OURS)
    assert OURS.channel_secret not in repr(OURS)
    assert len({OURS.listener, OURS.listener_secret, OURS.channel, OURS.channel_secret, OTHERS.channel}) == 5
