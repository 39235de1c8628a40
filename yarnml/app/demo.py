"""Demo: real data that an installed package carries, for a first run without any of one's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import final

from hdfs_io import ReadOptions
from yarnml.errors import UsageError


@final
@dataclass(frozen=True)
class Demo:
    """A file inside a package, how it is read, and the fraction of its rows that is held out to test on."""

    package: str
    path: str
    options: ReadOptions = field(default_factory=ReadOptions)
    test: float | None = None
    extra: str = "demo"  # of yarnml, which brings the package

    def url(self) -> str:
        """Where the file is; UsageError says what to install if it isn't there."""
        spec = find_spec(self.package)
        for folder in (spec.submodule_search_locations or []) if spec is not None else []:
            file = Path(folder) / self.path
            if file.is_file():
                return str(file)
        raise UsageError(
            f"the demo's data comes with {self.package}, which isn't installed: name your own with --data, or "
            f"pip install 'yarnml[{self.extra}]'"
        )
