"""CRC: the checksum CRC-32C (Castagnoli), by a table of all bytes."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

POLYNOMIAL = 0x82F63B78  # reversed


def _table() -> NDArray[np.uint32]:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(POLYNOMIAL), table >> 1).astype(np.uint32)
    return table


TABLE = _table()


@njit(cache=True, nogil=True)
def crc32c(s, table):  # type: ignore[no-untyped-def]
    """The checksum of the bytes `s`."""
    crc = np.uint32(0xFFFFFFFF)
    for byte in s:
        crc = table[(crc ^ byte) & np.uint32(0xFF)] ^ (crc >> np.uint32(8))
    return crc ^ np.uint32(0xFFFFFFFF)
