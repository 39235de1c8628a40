"""Shipping: a container's output goes to the run's directory while it runs, so that it is read from anywhere."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import final

from hdfs_io import DataError, join, open_fs
from yarnml.launch.yarn.inside import Inside
from yarnml.launch.yarn.memory import resident
from yarnml.launch.yarn.notes import leave

LOOK = 0.25  # seconds between two looks at the memory
SHIP = 4  # looks from one shipment to the next
MOST = 1 << 20  # bytes of one shipment; a shipment has whole lines as long as the process lives


SHIPPED = Path("shipped")  # how many bytes of this container's log are shipped; those of others are in the same file


def ship(inside: Inside, *, last: bool = False) -> None:
    """Append what the log has and the run's directory lacks. Once the seat is known, or it is the last time."""
    fs, path = open_fs(join(inside.job.url, f"logs/{inside.log_name}"))
    shipped = int(SHIPPED.read_text()) if SHIPPED.exists() else 0
    with inside.log.open("rb") as file:
        file.seek(shipped)
        new = file.read() if last else file.read(MOST)
    new = new if last or len(new) == MOST else new[: new.rfind(b"\n") + 1]
    if new:
        fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        with fs.open(path, "ab") as file:
            file.write(new)
        SHIPPED.write_text(str(shipped + len(new)))


@final
class Shipper:
    """A thread beside the work. It also sees when the container uses more memory than it may: YARN will end it then."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside
        self._seated = threading.Event()
        self._lock = threading.Lock()
        self._size = -1
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="yarnml-shipper", daemon=True)
        self._thread.start()

    def seated(self) -> None:
        """The container knows what its log is called."""
        self._seated.set()

    def flush(self) -> None:
        """Ship all there is."""
        with self._lock, suppress(DataError, OSError):
            ship(self._inside, last=True)

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        self.flush()

    def _run(self) -> None:
        looks, warned = 0, False
        while not self._over.wait(LOOK):
            used = resident()
            if used > self._inside.limit and not warned:
                warned = True
                leave(self._inside.job.url, self._inside.note(f"{used}", over=True))
            looks += 1
            size = self._inside.log.stat().st_size
            if looks % SHIP == 0 and size != self._size and self._seated.is_set():
                self._size = size
                with self._lock, suppress(DataError, OSError):
                    ship(self._inside)
