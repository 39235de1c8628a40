"""A demo's data is found in its package, or its absence says what to install."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnml.app import Demo
from yarnml.errors import UsageError


def test_found_in_the_package() -> None:
    assert Path(Demo("sklearn", "datasets/data/digits.csv.gz").url()).is_file()


@pytest.mark.parametrize("demo", [Demo("no_such_package", "x.csv"), Demo("sklearn", "no/such.csv")])
def test_absent(demo: Demo) -> None:
    with pytest.raises(UsageError, match=r"pip install 'yarnml\[demo\]'"):
        demo.url()
