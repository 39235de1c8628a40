"""The kernels that look for codes see each one, and hardly anything else."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hdfs_io.kernels.codes import any_codes, code_columns
from hdfs_io.text import PAD

CODE = re.compile(r'^[ \t"]*(\+|-?0[0-9xX]|-0(?!\.))')
TEXT = st.text(st.sampled_from('01x+-.e "\t,;\n'), max_size=40)


def buffer(text: str, before: str = "") -> tuple[np.ndarray, int, int]:
    data = np.frombuffer((before + text).encode() + b"\n" * PAD, np.uint8)
    return data, len(before), len(before) + len(text)


@given(TEXT, TEXT, st.sampled_from(",;\t "))
def test_every_code_is_seen(text: str, before: str, sep: str) -> None:
    data, lo, hi = buffer(text, before)
    marks = np.zeros(50, np.bool_)
    code_columns(data, lo, hi, ord(sep), marks)
    wanted = np.zeros(50, np.bool_)
    for row in text.split("\n"):
        for at, field in enumerate(row.split(sep)):
            wanted[at] |= CODE.match(field) is not None
    assert not (wanted & ~marks).any()
    assert any_codes(data, lo, hi, ord(sep)) or not wanted.any()


@given(st.lists(st.lists(st.one_of(st.integers(), st.floats(allow_nan=False)), min_size=1, max_size=5), max_size=5))
def test_numbers_as_they_are_printed_are_none(rows: list[list[float]]) -> None:
    data, lo, hi = buffer("".join(",".join(map(str, row)) + "\n" for row in rows))
    assert not any_codes(data, lo, hi, ord(","))
