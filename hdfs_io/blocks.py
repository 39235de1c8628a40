"""Blocks: which hosts hold the bytes of a file, so that who reads them can run there."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from hdfs_io import hadoop

HTTP_PORT = 9870
LIMIT = 5.0  # seconds for one answer

# a proxy that the environment names leads out of the cluster, not into it
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True)
class Stretch:
    """How many bytes of a file lie in HDFS's blocks, and how many of them each host holds."""

    size: float = 0
    hosts: Counter[str] = field(default_factory=Counter)

    def part(self, share: float) -> Stretch:
        """A share of it, whose bytes lie as all of them do."""
        return Stretch(self.size * share, Counter({host: round(size * share) for host, size in self.hosts.items()}))

    def __add__(self, other: Stretch) -> Stretch:
        return Stretch(self.size + other.size, self.hosts + other.hosts)


def block_hosts(url: str, ranges: Iterable[tuple[int, int]]) -> list[Stretch]:
    """For each range [start, stop) of the file's bytes, how many of them each host holds.

    Asked of WebHDFS, which clusters may have closed: nothing is known then, as of other stores.
    """
    ranges = list(ranges)
    blocks = _blocks(url) if url.startswith("hdfs://") else []
    return [_stretch(blocks, start, stop) for start, stop in ranges]


Block = tuple[int, int, tuple[str, ...]]  # first byte, how many, hosts


def _stretch(blocks: list[Block], start: int, stop: int) -> Stretch:
    found: Counter[str] = Counter()
    size = 0
    for offset, length, hosts in blocks:
        common = min(stop, offset + length) - max(start, offset)
        if common > 0:
            found.update(dict.fromkeys(hosts, common))
            size += common
    return Stretch(size, found)


def _blocks(url: str) -> list[Block]:
    authority, _, path = url.removeprefix("hdfs://").partition("/")
    query = urllib.parse.urlencode({"op": "GETFILEBLOCKLOCATIONS", "user.name": hadoop.user()})
    for host in _webs(authority):
        try:
            address = f"http://{host}/webhdfs/v1/{urllib.parse.quote(path)}?{query}"
            with _direct.open(address, timeout=LIMIT) as answer:
                found = json.load(answer)["BlockLocations"]["BlockLocation"]
            return [(int(b["offset"]), int(b["length"]), tuple(b["hosts"])) for b in found]
        except (OSError, ValueError, KeyError, TypeError):  # closed, secured, or a NameNode in standby
            continue
    return []


def _webs(authority: str) -> list[str]:
    """Where the NameNodes of an authority serve HTTP."""
    said = hadoop.settings()
    authority = authority or hadoop.default_fs()
    nodes = [node.strip() for node in said.get(f"dfs.ha.namenodes.{authority}", "").split(",") if node.strip()]
    keys = [f"dfs.namenode.http-address.{authority}.{node}" for node in nodes]
    if nodes:
        return [said[key] for key in keys if key in said]
    [(host, _)] = hadoop.namenodes(authority)[:1]
    mine = authority == said.get("fs.defaultFS", "").removeprefix("hdfs://").rstrip("/")
    port = hadoop.address(said.get("dfs.namenode.http-address", ""), HTTP_PORT)[1] if mine else HTTP_PORT
    return [f"{host}:{port}"]
