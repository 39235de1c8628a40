"""One of Hadoop's daemons: a JVM that outlives whoever starts it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from yarnml.cluster.layout import Layout, read_json, write
from yarnml.cluster.process import Process
from yarnml.errors import YarnmlError

# what Hadoop's own scripts open to it on Java 17
OPENED = (
    "java.base/java.io", "java.base/java.lang", "java.base/java.lang.reflect", "java.base/java.math",
    "java.base/java.net", "java.base/java.text", "java.base/java.util", "java.base/java.util.concurrent",
    "java.base/java.util.zip", "java.base/sun.nio.ch", "java.base/sun.security.util", "java.base/sun.security.x509",
    "java.security.jgss/sun.security.krb5",
)  # fmt: skip
EXPORTED = ("java.base/sun.net.dns", "java.base/sun.net.util")
JAVA_OPTIONS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",  # half the time and CPU to start, and HDFS is not slower for it
    "-XX:-UsePerfData",  # no file in /tmp
    "-Djava.net.preferIPv4Stack=true",
    *(f"--add-opens={name}=ALL-UNNAMED" for name in OPENED),
    *(f"--add-exports={name}=ALL-UNNAMED" for name in EXPORTED),
)
# the shell ends at once, so the JVM is nobody's child: no Ctrl-C and no zombie reaches it or comes from it
DETACH = 'cd "$1" || exit 1; log=$2; shift 2; "$@" >>"$log" 2>&1 </dev/null & echo $!'


class DaemonError(YarnmlError):
    """A daemon ended while it was waited for; the message has the last lines of its log."""

    def __init__(self, name: str, message: str, *, port_taken: bool) -> None:
        super().__init__(message)
        self.name, self.port_taken = name, port_taken


@dataclass(frozen=True)
class Daemon:
    """What to start: a main class with its own settings beside those of the configuration files."""

    name: str  # "datanode-1"
    main: str  # below org.apache.hadoop
    heap_mb: int
    settings: dict[str, str] = field(default_factory=dict)

    def log(self, layout: Layout) -> Path:
        return layout.part("logs") / f"{self.name}.log"

    def process(self, layout: Layout) -> Process | None:
        """The process that was started last under this name, if it is alive."""
        record = read_json(self._record(layout))
        process = Process(**record) if record else None
        return process if process and process.alive else None

    def start(self, layout: Layout, java: Path, jars: Path) -> Process:
        """Start it and record who it is."""
        arguments = java_command(layout, java, jars, self.main, self.heap_mb)
        arguments += [f"-D{name}={value}" for name, value in self.settings.items()]
        done = subprocess.run(
            ["/bin/sh", "-c", DETACH, "sh", str(layout.root), str(self.log(layout)), *arguments],
            env=environment(layout, java), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=30, check=False, start_new_session=True,
        )  # fmt: skip
        process = Process.of(int(done.stdout)) if done.stdout else None
        if process is None:
            raise self.died(layout)
        write(self._record(layout), json.dumps(asdict(process)))
        return process

    def died(self, layout: Layout) -> DaemonError:
        """The error that says so."""
        log = self.log(layout)
        text = tail(log, 12)
        taken = any(sign in text for sign in ("BindException", "Address already in use", "Port in use"))
        return DaemonError(
            self.name, f"the {self.name} ended as it started; {log} ends with:\n{text}", port_taken=taken
        )

    def _record(self, layout: Layout) -> Path:
        return layout.part("run") / f"{self.name}.json"


def java_command(layout: Layout, java: Path, jars: Path, main: str, heap_mb: int) -> list[str]:
    """A command line for one of Hadoop's classes that can be told from every other cluster's."""
    options = [*JAVA_OPTIONS, layout.mark, f"-Xmx{heap_mb}m", f"-Djava.io.tmpdir={layout.part('tmp')}"]
    classes = f"{layout.part('conf')}:{jars}/*:{layout.part('web')}"
    return [str(java / "bin/java"), *options, "-cp", classes, f"org.apache.hadoop.{main}"]


def environment(layout: Layout, java: Path) -> dict[str, str]:
    """What daemons, and by them containers, see of the outside: not the caller's Python, not another Hadoop's files."""
    root = str(layout.root)
    passed = {name: os.environ[name] for name in ("TZ", "USER", "LOGNAME") if name in os.environ}
    return passed | {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": str(layout.part("home")),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",  # the JVM's idea of file names
        "JAVA_HOME": str(java),
        "HADOOP_CONF_DIR": str(layout.part("conf")),
        **dict.fromkeys(("HADOOP_HOME", "HADOOP_COMMON_HOME", "HADOOP_HDFS_HOME", "HADOOP_YARN_HOME"), root),
    }


def tail(log: Path, lines: int) -> str:
    """The last lines of a log, indented, stack frames left out."""
    try:
        text = log.read_bytes()[-64 << 10 :].decode(errors="replace")
    except FileNotFoundError:
        return "  (no log)"
    told: Sequence[str] = [line for line in text.splitlines() if line.strip() and not line.startswith("\tat ")]
    return "\n".join(f"  {line}" for line in told[-lines:]) or "  (nothing)"
