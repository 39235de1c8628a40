"""The driver: Skein's JVM, which speaks to YARN for us. It takes seconds to start, and may be ended at any time."""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, final

from yarnml.errors import UsageError
from yarnml.launch.yarn.jar import mend

MAIN = "com.anaconda.skein.Driver"
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # a JVM that lives for seconds: compile little, collect simply
LIMIT = 60.0  # seconds for its start
LOOK = 0.1  # seconds between two looks whether it still is there and wanted
END = 10.0  # seconds for its end


@final
class Driver:
    """Starts in a thread of its own, so that a submission that is refused meanwhile needn't wait for it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="yarnml-skein-")
        os.environ["SKEIN_CONFIG"] = self._folder.name  # or it leaves keys in ~/.skein
        self._process: subprocess.Popen[bytes] | None = None
        self._unwanted = threading.Event()
        self._pool = ThreadPoolExecutor(1)
        self._client = self._pool.submit(self._start)

    @property
    def client(self) -> Any:
        """Skein's client, once the JVM answers. UsageError with its last words if it can't be started."""
        return self._client.result()

    def close(self) -> None:
        """End the JVM, also one that is just being started."""
        self._unwanted.set()
        self._pool.shutdown()
        if self._client.exception() is None:
            self._client.result().close()
        if self._process is not None:
            self._process.terminate()
            self._process.communicate(timeout=END)
        self._folder.cleanup()

    def _start(self) -> Any:
        import skein

        security = skein.Security.new_credentials()
        log, jar = Path(self._folder.name, "driver.log"), Path(self._folder.name, "skein.jar")
        try:
            with socket.create_server(("127.0.0.1", 0)) as callback, log.open("wb") as output:
                env = _environment(security, callback.getsockname()[1])
                self._process = subprocess.Popen(
                    [_java(), *_native(), *QUICK, "-Dskein.log.level=WARN", MAIN, "--jar", str(jar)],
                    stdin=subprocess.PIPE, stdout=output, stderr=output, env=env, start_new_session=True,
                )  # fmt: skip
                mend(Path(_jar()), jar)  # which it sends with an application, and needn't have before
                port = self._called_back(callback)
            client = skein.Client(address=f"127.0.0.1:{port}", security=security)
        except (skein.exceptions.SkeinError, OSError, ValueError, subprocess.SubprocessError) as error:
            raise UsageError(f"Skein's driver can't be started: {error}{_last(log)}") from error
        return client

    def _called_back(self, callback: socket.socket) -> int:
        """The port that the JVM says it listens at."""
        assert self._process is not None
        until = time.monotonic() + LIMIT
        with selectors.DefaultSelector() as selector:
            selector.register(callback, selectors.EVENT_READ)
            while not selector.select(LOOK):
                if self._unwanted.is_set():
                    raise OSError("it isn't wanted any more")
                if self._process.poll() is not None:
                    raise OSError(f"its JVM ended with exit code {self._process.returncode}")
                if time.monotonic() >= until:
                    raise OSError(f"its JVM did not answer within {LIMIT:g} s")
        with callback.accept()[0] as connection, connection.makefile("rb") as stream:
            return int.from_bytes(stream.read(4), "big")


def _environment(security: Any, port: int) -> Mapping[str, str]:
    classes = subprocess.run(["yarn", "classpath", "--glob"], capture_output=True, text=True, check=True, timeout=LIMIT)
    env = os.environ | {
        "SKEIN_CERTIFICATE": security.cert_bytes.decode(),
        "SKEIN_KEY": security.key_bytes.decode(),
        "SKEIN_CALLBACK_PORT": str(port),
        "CLASSPATH": f"{_jar()}:{classes.stdout.strip()}",
    }
    # a JVM can't start in a directory whose name it can't read
    return env | {"LC_ALL": "C.UTF-8"} if env.get("LC_ALL") in ("C", "POSIX") else env


def _jar() -> str:
    spec = find_spec("skein")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent / "java/skein.jar")


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    return f"{home}/bin/java" if home else "java"


def _native() -> list[str]:
    """Hadoop's own libraries, which Kerberos and encryption want."""
    folder = Path(os.environ.get("HADOOP_HOME", "/nowhere"), "lib/native")
    return [f"-Djava.library.path={folder}"] if folder.is_dir() else []


def _last(log: Path) -> str:
    """The line of a JVM's last exception."""
    if not log.exists():
        return ""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    causes = [line.strip() for line in lines if "Exception" in line or "Error" in line]
    return f" ({causes[-1]})" if causes else ""
