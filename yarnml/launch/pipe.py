"""A pipe: what the scheduler's process tells its driver, and what the driver wishes, as JSON lines."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from yarnml.comm.effects import Report, Say, Setback
from yarnml.comm.events import Stop
from yarnml.comm.outcome import Outcome
from yarnml.comm.seat import Seat

News = Report | Say | Setback | Outcome
KINDS: dict[str, Any] = {kind.__name__: kind for kind in (Report, Say, Setback, Outcome, Stop)}


def line(said: News | Stop) -> str:
    return json.dumps({"kind": type(said).__name__, **asdict(said)})


def parsed(text: str) -> Any:
    """What `line` made a text of."""
    fields = json.loads(text)
    kind = fields.pop("kind")
    if fields.get("culprit"):
        fields["culprit"] = Seat(**fields["culprit"])
    return KINDS[kind](**fields)
