"""A parcel: what was put is taken as it was, by whom it was sent to in time; files don't pile up."""

from __future__ import annotations

import os

import numpy as np
import pytest

from yarnml.wire import parcel
from yarnml.wire.frames import WireError
from yarnml.wire.parcel import BYTES, MOST, Parcels, is_parcel, take

PID = os.getpid()


def test_arrays_of_one_message_share_a_file() -> None:
    parcels = Parcels()
    before = len(os.listdir("/proc/self/fd"))
    arrays = [np.random.default_rng(i).random((100 + i, 30)) for i in range(3)]
    references = [parcels.put(array, 0) for array in arrays]
    assert len(os.listdir("/proc/self/fd")) == before + 1
    for array, reference in zip(arrays, references, strict=True):
        assert is_parcel(reference)
        assert (take(reference, PID).view(np.float64) == array.ravel()).all()
    parcels.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_files_go_when_their_messages_have_been_read() -> None:
    parcels = Parcels()
    before = len(os.listdir("/proc/self/fd"))
    for place in range(MOST):
        assert parcels.has_room(0)
        parcels.put(np.zeros(10), place)
    assert not parcels.has_room(0)
    assert parcels.has_room(MOST - 1)
    assert len(os.listdir("/proc/self/fd")) == before + 1
    assert parcels.has_room(MOST)
    assert parcels.taken(MOST)
    parcels.put(np.zeros(BYTES, np.uint8), MOST)
    assert not parcels.has_room(MOST)
    assert not parcels.taken(MOST)
    parcels.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_references_that_lead_nowhere_are_refused() -> None:
    parcels = Parcels()
    good = parcels.put(np.zeros(100), 0)
    magic, _, fd, at, size, inode = parcel._REFERENCE.unpack(good)
    read, write = os.pipe()
    for wrong in (
        (9999, at, size, inode),  # no such file
        (read, at, size, os.fstat(read).st_ino),  # a pipe
        (fd, at, size, inode + 1),  # another file
        (fd, at, size + 1, inode),
        (fd, size + 1, size, inode),
        (fd, 1 << 63, 1 << 63, inode),
        (fd, at, 0, inode),
    ):
        with pytest.raises(WireError):
            take(parcel._REFERENCE.pack(magic, 0, *wrong), PID)
    with pytest.raises(WireError):
        take(good, 2**22 + 1)
    parcels.close()
    with pytest.raises(WireError):
        take(good, PID)
    os.close(read)
    os.close(write)
