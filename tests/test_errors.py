"""Near names."""

from __future__ import annotations

import pytest

from yarnml.errors import nearest


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("epoch", ["epochs", "batch"], "; did you mean 'epochs'?"),
        ("xyz", ["epochs", "batch"], "; there are: batch, epochs"),
        ("epochs", ["epochs", "batch"], "; there are: batch"),
        ("epochs", ["epochs"], ""),
    ],
)
def test_a_name_is_never_said_to_mean_itself(name: str, known: list[str], said: str) -> None:
    assert nearest(name, known) == said
