"""Asking Hadoop's daemons over HTTP, on this machine only."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

# a proxy that the environment names is not for loopback addresses
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def ask(url: str, *, method: str = "GET", timeout: float = 5.0) -> Any | None:
    """The JSON at `url`, or None if nobody answers, or not with JSON, within `timeout` seconds."""
    request = urllib.request.Request(url, method=method, headers={"Accept": "application/json"})  # noqa: S310
    try:
        with _direct.open(request, timeout=timeout) as response:
            return json.load(response)
    except (OSError, ValueError):
        return None


def bean(address: str, name: str) -> dict[str, Any]:
    """One of Hadoop's JMX beans, such as `NameNode,name=FSNamesystemState`; empty if there is no answer."""
    answer = ask(f"{address}/jmx?qry=Hadoop:service={name}") or {}
    found = answer.get("beans") or [{}]
    return dict(found[0])
