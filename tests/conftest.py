"""What many tests need: data that lies beside the checkout, and a company of workers in one process."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of data sets beside the checkout; a test that wants it is skipped where there is none."""
    folder = Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs the data sets in ../shared/data, which aren't there")
    return folder
