"""Whether yarnml is installed here, from a wheel or in editable mode: packing asks what it needs."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import pytest


def _installed() -> bool:
    try:
        return bool(version("yarnml"))
    except PackageNotFoundError:
        return False


needs_installed = pytest.mark.skipif(not _installed(), reason="needs yarnml to be installed: pip install -e .")
