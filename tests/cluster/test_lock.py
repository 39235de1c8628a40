"""One at a time works in a directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnml.cluster.lock import locked
from yarnml.errors import YarnmlError


def test_a_second_one_waits_says_so_and_gives_up(tmp_path: Path) -> None:
    said: list[str] = []
    with locked(tmp_path, said.append):
        with pytest.raises(YarnmlError, match="another yarnml has been at work"), locked(tmp_path, said.append, 0.1):
            raise AssertionError("not reached")
        assert len(said) == 1
        assert str(tmp_path) in said[0]
    with locked(tmp_path, said.append, 0):
        pass


def test_no_file_is_left_and_a_removed_directory_is_made_again(tmp_path: Path) -> None:
    place = tmp_path / "a" / "b"
    with locked(place, print):
        assert not list(place.iterdir())
        place.rmdir()
        with locked(place, print, 0):  # the first one's lock is on a directory that is no more
            assert place.is_dir()
