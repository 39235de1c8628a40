"""Sense: whether what a server says to a worker can be so. What can't is refused and counted, and changes nothing."""

from __future__ import annotations

import numpy as np

from yarnml.kernels import rows as kernels
from yarnml.ps.sender import Sender
from yarnml.ps.spec import TableSpec
from yarnml.wire.message import ALL, SOME, Ack, Get, Nack, Rows


def makes_sense(message: Rows, spec: TableSpec, low: int, high: int, asked: Get | None) -> bool:
    """Whether these can be rows of table `spec` from the server that holds [low, high): a push, or the answer to
    `asked`; to what was asked in an earlier clock if that is None."""
    dtype, width = spec.numpy_dtype, spec.width
    for block in message.values:
        if block.dtype != dtype or block.shape[1] != width:
            return False
    if message.rows is None:
        there = low <= message.start <= message.stop <= high
    else:
        there = len(message.values) == 1 and bool(kernels.increasing(message.rows, low, high))
    if message.seq in (ALL, SOME):
        return there and spec.pushes
    return there and (asked is None or _answers(message, asked))


def _answers(message: Rows, asked: Get) -> bool:
    if message.table != asked.table:
        return False
    if asked.rows is None and asked.start == asked.stop:  # for all that is held
        return True
    if message.start != asked.start or message.stop != asked.stop:
        return False
    if message.rows is None or asked.rows is None:
        return message.rows is asked.rows
    return np.array_equal(message.rows, asked.rows)


def heard_of(message: Ack | Nack, sender: Sender) -> bool:
    """Whether this is about what was sent."""
    last = message.seq if isinstance(message, Ack) else message.seq - 1
    return 0 <= last <= sender.last
