"""A run's keys lie in a file that only the user can read."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnml.errors import UsageError
from yarnml.launch.keys import read, write


def test_what_is_written_is_read_by_its_owner_alone(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    first = read(tmp_path)
    path.chmod(0o644)
    with pytest.raises(UsageError, match="can be read by others"):
        read(tmp_path)
    write(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600, "nobody who had the old file open sees the new keys"
    assert read(tmp_path) != first


def test_no_keys(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't read the run's keys"):
        read(tmp_path)
