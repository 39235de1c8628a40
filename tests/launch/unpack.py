"""Unpacking as YARN does it: by the system's own tar."""

from __future__ import annotations

import subprocess
from pathlib import Path


def unpack(archive: str | Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    subprocess.run(["tar", "-xzf", str(archive), "-C", str(folder)], check=True)
