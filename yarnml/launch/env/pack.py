"""A pack: files that travel as one archive, which is named by what they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import final

from yarnml.launch.env.entry import Entry, digest

FORMAT = "1"  # changes whenever the same files would be packed in another way


@final
@dataclass(frozen=True)
class Pack:
    kind: str  # what it is for: its folder in a container, and the start of its archive's name
    entries: tuple[Entry, ...]
    caches: tuple[Entry, ...] = ()  # travel too, but it is the same pack without them
    finish: Callable[[Path], None] | None = field(default=None, compare=False)  # works on the laid-out files
    by_content: bool = False

    @cached_property
    def hash(self) -> str:
        return digest(self.entries, FORMAT, self.kind, contents=self.by_content)

    @property
    def archive(self) -> str:
        """YARN unpacks what is called .tar.gz."""
        return f"{self.kind}-{self.hash}.tar.gz"
