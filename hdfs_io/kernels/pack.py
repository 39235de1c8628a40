"""Pack: pieces of text copied together."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def pack(text, spans, offsets, out):  # type: ignore[no-untyped-def]
    """Copy text[spans[k, 0]:spans[k, 1]] to out[offsets[k]:]."""
    for k in range(len(spans)):
        q = offsets[k]
        for p in range(spans[k, 0], spans[k, 1]):
            out[q] = text[p]
            q += 1
