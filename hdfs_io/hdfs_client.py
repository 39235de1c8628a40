"""A client of HDFS, the only file that knows hdfs-native: connected within seconds or refused by name; its errors."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from hdfs_io import hadoop
from hdfs_io.errors import DataError

if TYPE_CHECKING:
    from hdfs_native import Client

PROBE = 2.0  # seconds for a NameNode's host to take a connection
ANSWER = 6.0  # seconds for the first answer
OPTIONS = {  # about 8 s for a NameNode that went away; the defaults go on for 3 minutes
    "dfs.client.failover.max.attempts": "8",
    "dfs.client.failover.sleep.max.millis": "1500",
}
MEANS = {  # Java's name -> ours
    "AccessControlException": "not allowed",
    "SafeModeException": "HDFS is in safe mode",
    "QuotaExceededException": "the quota is used up",
    "InvalidPathException": "HDFS takes no path with an empty part (a variable that is unset?), '.', '..' or ':'",
    "StandbyException": "this NameNode is not the active one",
}


def connected(scheme: str, authority: str) -> Client:
    """DataError, within 10 s, by address, if no NameNode answers."""
    try:
        from hdfs_native import Client
    except ImportError as error:
        why = one_line(str(error))
        raise DataError(
            f"{scheme}://{authority}: HDFS needs the package hdfs-native ({why}); pip install hdfs-native"
        ) from error
    if scheme == "viewfs":
        return _mounted(authority)
    where = authority or hadoop.default_fs()
    nodes = hadoop.namenodes(where)
    faults = [hadoop.answers(node, PROBE) for node in nodes]
    if all(faults):
        raise DataError(
            f"hdfs://{where}: no NameNode answers at {hadoop.spoken(nodes)} ({one_line(faults[0])}); is HDFS up, "
            "and is the address right?"
        )
    if where not in hadoop.services():
        where = "{}:{}".format(*nodes[0])
    client = Client(f"hdfs://{where}", dict(OPTIONS))
    _first_answer(client, where, nodes)
    return client


def _mounted(authority: str) -> Client:
    """The client of a mount table. hdfs-native wants to know where all other paths lead: to where nothing can be."""
    from hdfs_native import Client

    said, table = hadoop.settings(), f"fs.viewfs.mounttable.{authority or hadoop.default_fs()}."
    link = next((value for name, value in said.items() if name.startswith(f"{table}link.")), None)
    if link is None:
        raise DataError(
            f"viewfs://{authority}: {hadoop.conf_dir() or 'HADOOP_CONF_DIR'} has no mount table of that name "
            f"({table}link./... in core-site.xml)"
        )
    scheme, _, rest = link.partition("://")
    nowhere = {f"{table}linkFallback": f"{scheme}://{rest.partition('/')[0]}/.reserved/not-mounted"}
    fallback = {} if f"{table}linkFallback" in said else nowhere
    try:
        return Client(f"viewfs://{authority}", {**OPTIONS, **fallback})
    except (RuntimeError, OSError) as error:
        raise DataError(f"viewfs://{authority}: {one_line(str(error))}") from error


def _first_answer(client: Client, where: str, nodes: tuple[hadoop.Address, ...]) -> None:
    """Ask a first question: hdfs-native waits for ever for a host that takes connections and says nothing."""
    said: list[Exception | None] = []

    def ask() -> None:
        try:
            client.get_file_info("/")
        except Exception as error:  # noqa: BLE001 (told by the thread that waits)
            said.append(error)
        else:
            said.append(None)

    thread = threading.Thread(target=ask, name="hdfs-first-answer", daemon=True)
    thread.start()
    thread.join(ANSWER)
    if not said:
        raise DataError(f"hdfs://{where}: {hadoop.spoken(nodes)} gave no answer within {ANSWER:g} s; is it a NameNode?")
    if said[0] is not None and "AccessControlException" not in str(said[0]):
        raise DataError(f"hdfs://{where}: {hadoop.spoken(nodes)}: {one_line(str(said[0]))}") from said[0]


def overwriting() -> Any:
    from hdfs_native import WriteOptions

    options = WriteOptions()
    options.overwrite = True
    return options


def one_line(text: str) -> str:
    """What matters of a Java exception: its message, without the class, the stack and the quotes around."""
    line = next((line.strip() for line in text.replace("\\n", "\n").splitlines() if line.strip()), "no reason given")
    for name, means in MEANS.items():
        if name in text:
            said = (line.partition(name)[2] or line).replace("\\", "").replace('"', "")
            return f"{means}: {said.strip(' :,')}"
    return line
