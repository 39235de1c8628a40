"""Nodes offer what the machine has."""

from __future__ import annotations

import pytest

from yarnml.cluster.size import Size, machine_memory, size
from yarnml.errors import UsageError


def test_an_even_share_in_steps_bounded_above() -> None:
    assert size(1, machine_mb=64_000, vcores=8) == Size(8192, 8)
    two = size(2, machine_mb=16_000)
    assert two.memory_mb % 128 == 0
    assert 2 * (two.memory_mb + 600) + 800 <= 16_000 * 8 // 10
    assert two.vcores >= 8


def test_what_was_asked_for_is_given_or_refused_with_the_limit() -> None:
    assert size(2, 1500, 3, machine_mb=16_000) == Size(1408, 3)
    with pytest.raises(UsageError, match=r"each could have 5400 MB of this machine's 16000 MB .* 6000 MB is needed"):
        size(2, 6000, machine_mb=16_000)
    with pytest.raises(UsageError, match="--nodes 8: each could have 900 MB"):
        size(8, machine_mb=16_000)


@pytest.mark.parametrize("nodes", [0, -1, 17])
def test_a_number_of_nodes_that_makes_no_cluster(nodes: int) -> None:
    with pytest.raises(UsageError, match="1 to 16 nodes"):
        size(nodes)


def test_this_machine_has_memory() -> None:
    assert machine_memory() > 1 << 28
