"""Keeping: a worker's state over clocks: declared by the app, copied at a mark, written by a thread, taken up again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from yarnml.app.kept import Array, By, Part
from yarnml.comm.company import Company
from yarnml.errors import DataError, UsageError

Order = Callable[[], NDArray[np.int64]]  # made when it is needed: few apps keep what goes by rows
LAST = 10.0  # seconds that a worker which leaves waits for what is still being written
LOOK = 0.1  # seconds


@final
class Keeping:
    """Belongs to the worker's thread."""

    def __init__(self, company: Company) -> None:
        self._company = company
        self._arrays: dict[str, Array] = {}
        self._by: dict[str, By] = {}
        self._restored: dict[str, Array] = {}  # not asked for yet
        self._order: Order | None = None  # of the rows, None: the data set's
        self._writing: threading.Thread | None = None

    @property
    def by_rows(self) -> bool:
        """Whether some of it goes by the worker's rows."""
        return "rows" in self._by.values()

    def array(self, name: str, init: Callable[[], Array] | Array, by: By) -> Array:
        if name not in self._arrays:
            self._company.keeps()
            self._by[name] = by
            known = self._restored.pop(name, None)
            self._arrays[name] = _begun(name, init) if known is None else known
            if known is not None and by == "rows" and self._order is not None:
                known[:] = known[self._order()]
        return self._arrays[name]

    def shuffle(self, order: Order | None) -> None:
        """The worker's rows are in this order from now on, and what goes by them is too."""
        self._order = order
        names = self._rows()
        if order is not None and names:
            at = order()
            for name in names:
                self._arrays[name][:] = self._arrays[name][at]

    def restore(self, part: Part) -> None:
        """Begin with what was kept."""
        self._restored = dict(part.state)

    def write(self, clock: int, url: str, part: Part, rows: Callable[[str], None]) -> None:
        """Copy what is kept, and have it written to the directory `url`; the company hears when that is done.

        `rows`: writes there what else this process holds.
        """
        state = {name: array.copy() for name, array in self._arrays.items()}
        names = self._rows()
        if self._order is not None and names:
            at = self._order()
            for name in names:
                state[name][at] = self._arrays[name]
        whole = replace(part, state=state, by=dict(self._by))
        self._writing = threading.Thread(
            target=self._write, args=(clock, url, whole, rows), name="yarnml-keep", daemon=True
        )
        self._writing.start()

    def wait(self) -> None:
        """Until it is written, but not for long."""
        if self._writing is not None:
            self._writing.join(LAST)

    def await_written(self) -> None:
        """Until it is, or the company's check raises: there is nothing else to do."""
        written = self._writing is None
        while not written:
            assert self._writing is not None
            self._writing.join(LOOK)
            written = not self._writing.is_alive()
            self._company.check()

    def _rows(self) -> list[str]:
        return [name for name, by in self._by.items() if by == "rows"]

    def _write(self, clock: int, url: str, part: Part, rows: Callable[[str], None]) -> None:
        try:
            part.write(url)
            rows(url)
        except DataError as error:  # names the file, and says what can't be done with it
            self._company.marked(clock, str(error))
        except Exception as error:  # noqa: BLE001 (a store may raise anything, and a run outlives its checkpoint)
            self._company.marked(clock, f"{url}: can't be written: {error}")
        else:
            self._company.marked(clock)


def _begun(name: str, init: Callable[[], Array] | Array) -> Array:
    """What is kept first. Raises UsageError for what can't be changed in place, or kept."""
    made = init() if callable(init) else init.copy() if isinstance(init, np.ndarray) else init
    if not isinstance(made, np.ndarray) or made.dtype.hasobject:
        what = f"an array of {made.dtype}" if isinstance(made, np.ndarray) else f"a {type(made).__name__}"
        raise UsageError(
            f"me.state({name!r}, ...) begins with {what}; say a numpy array of numbers, or a function that makes one"
        )
    return made
