"""Hadoop's client configuration: what the files in HADOOP_CONF_DIR say."""

from __future__ import annotations

import os
import pwd
import socket
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path

from hdfs_io.errors import DataError

FILES = ("core-site.xml", "hdfs-site.xml", "yarn-site.xml")
NAMENODE_PORT = 8020
Address = tuple[str, int]


def conf_dir() -> Path | None:
    """HADOOP_CONF_DIR, or the directory that Hadoop would take for it."""
    if said := os.environ.get("HADOOP_CONF_DIR"):
        return Path(said)
    home = os.environ.get("HADOOP_HOME")
    return Path(home, "etc/hadoop") if home else None


def settings() -> dict[str, str]:
    """All settings of the files there; those of later files win. Empty without a configuration."""
    folder, found = conf_dir(), dict[str, str]()
    for name in FILES if folder else ():
        path = Path(folder or "", name)
        if path.is_file():
            found |= _read(path)
    return found


def user() -> str:
    """Who Hadoop takes this process for where nobody proves who he is."""
    if said := os.environ.get("HADOOP_USER_NAME"):
        return said
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        raise DataError(f"user {os.geteuid()} has no name in /etc/passwd; say one in HADOOP_USER_NAME") from None


def default_fs() -> str:
    """The authority of the default file system: `host:port` or a nameservice. DataError if none is configured."""
    url = settings().get("fs.defaultFS", "")
    scheme, _, rest = url.partition("://")
    if scheme not in ("hdfs", "viewfs"):
        said = f"fs.defaultFS is {url or 'not set'} in {conf_dir()}" if conf_dir() else "HADOOP_CONF_DIR isn't set"
        raise DataError(f"hdfs:/// means the default file system, but {said}; name the host: hdfs://HOST:8020/...")
    return rest.rstrip("/")


def services() -> dict[str, tuple[Address, ...]]:
    """Each nameservice and the RPC addresses of its NameNodes."""
    found, said = dict[str, tuple[Address, ...]](), settings()
    for service in _words(said.get("dfs.nameservices", "")):
        nodes = _words(said.get(f"dfs.ha.namenodes.{service}", "")) or [""]
        keys = [f"dfs.namenode.rpc-address.{service}{'.' if node else ''}{node}" for node in nodes]
        found[service] = tuple(address(said[key], NAMENODE_PORT) for key in keys if key in said)
    return found


def namenodes(authority: str) -> tuple[Address, ...]:
    """The NameNodes of `host`, `host:port` or a nameservice."""
    known = services().get(authority)
    return known if known else (address(authority, NAMENODE_PORT),)


def address(text: str, port: int) -> Address:
    """`host:port` or `host`, as Hadoop writes it; IPv6 in brackets."""
    host, colon, number = text.rpartition(":")
    if colon and number.isdigit():
        return host.strip("[]"), int(number)
    return text.strip("[]"), port


def spoken(addresses: Iterable[Address]) -> str:
    return ", ".join(f"{host}:{port}" for host, port in addresses)


def answers(where: Address, seconds: float) -> str:
    """Empty if something listens there; else why not."""
    try:
        socket.create_connection(where, timeout=seconds).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _read(path: Path) -> dict[str, str]:
    try:
        root = ET.parse(path).getroot()  # noqa: S314 (the cluster's own files)
    except ET.ParseError as error:
        raise DataError(f"{path}: isn't a Hadoop configuration file ({error})") from error
    pairs = ((p.findtext("name", "").strip(), p.findtext("value", "").strip()) for p in root.iter("property"))
    return {name: value for name, value in pairs if name}


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
