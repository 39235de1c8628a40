"""`yarnml bench NAME`: yarnml's speed beside its peers'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional

from yarnml.cli.flags import parse


@dataclass(frozen=True, kw_only=True)
class Args:
    name: Annotated[str | None, Positional] = None  # which; without it all are listed
    peers: str | None = None  # the Python that has the peers, if this one hasn't, where they are processes
    quick: Annotated[bool, FlagCreatePairsOff] = False  # less of everything, for a look
    json: Annotated[bool, FlagCreatePairsOff] = False  # one JSON object instead of a table


def main(args: Sequence[str]) -> int:
    from yarnml.bench import runner

    said = parse("yarnml bench", "Measure yarnml beside its peers, in the same run.", {"bench": Args}, args)["bench"]
    if said.name is None:
        print("\n".join(f"{name:<10} {sentence}" for name, sentence in runner.sentences().items()))
        return 0
    rows = runner.run(said.name, quick=said.quick, peers=said.peers)
    print(runner.as_json(said.name, rows) if said.json else runner.as_table(rows))
    return 0
