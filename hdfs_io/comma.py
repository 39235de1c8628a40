"""Comma: numbers with a decimal comma, `1,5`, which are told from words so that the refusal says what to do."""

from __future__ import annotations

import re

NUMBER = r"[+-]?\d+,\d+"


def has_comma(text: str) -> bool:
    """Whether this would be a number, were its comma a point."""
    return re.fullmatch(NUMBER, text.strip()) is not None


def advice(place: str, sep: str | None) -> str:
    """What to do about a value that is no number, as an error's `place` ends with it; empty if it has no such comma."""
    if not re.search(rf"'\s*{NUMBER}\s*'$", place):
        return ""
    how = "" if sep in (None, ",") else ", as `sed 's/,/./g'` does in this file"
    return f"numbers are written with a point, not a comma{how}; "
