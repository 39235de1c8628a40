"""The keys of one run: with them its processes know each other, and nobody else can listen or speak."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Self, final

from yarnml.errors import UsageError

LENGTH = 40  # characters of a key, in Z85


@final
@dataclass(frozen=True)
class Keys:
    """Two pairs for CURVE: of those who listen, and of those who connect to them."""

    listener: str
    listener_secret: str = field(repr=False)
    channel: str
    channel_secret: str = field(repr=False)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Raises UsageError that shows nothing of the text."""
        try:
            value = json.loads(text)
            keys = {f.name: value.pop(f.name) for f in fields(cls)}
            whole = not value and all(isinstance(key, str) and len(key) == LENGTH for key in keys.values())
        except (ValueError, AttributeError, KeyError, TypeError):
            whole = False
        if not whole:
            raise UsageError("this is no file with the keys of a run; the launcher of the run writes one")
        return cls(**keys)
