"""Array file: one array of a model as an .npy file, and what model.json says of it."""

from __future__ import annotations

import io
import re
from dataclasses import asdict, dataclass
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import DataError, join
from hdfs_io.store import read_bytes

PLAIN_MEANS = "a name is made of letters, digits, spaces and _ . + -, begins with a letter, digit or _, and is short"


def plain(name: Any) -> bool:
    """Whether a name can be that of an array, and of its file in the model's directory."""
    return isinstance(name, str) and re.fullmatch(r"\w[\w .+-]{0,99}", name) is not None


def damaged(url: str, file: str, what: str) -> DataError:
    """The error that a file of the model at `url` isn't as it was saved."""
    return DataError(f"{url}: {file} {what}; train the model anew, or copy it again")


@final
@dataclass(frozen=True)
class ArrayFile:
    """A file in the model's directory, and the array that it must hold."""

    file: str
    shape: tuple[int, ...] | None = None  # None: not said, by a model of format 1
    dtype: str | None = None  # as numpy writes it, with the order of bytes: <f4

    @classmethod
    def of(cls, name: str, array: NDArray[Any]) -> Self:
        """Where the array of this name is saved."""
        return cls(f"{name}.npy", array.shape, array.dtype.str)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """Of what `to_json` returns, or of the name that format 1 has there."""
        if isinstance(value, str):
            return cls(value)
        return cls(value["file"], None if value["shape"] is None else tuple(value["shape"]), value["dtype"])

    def read(self, url: str) -> NDArray[Any]:
        """The array, out of the model at `url`; DataError if it isn't what was saved. Nothing is unpickled."""
        data = io.BytesIO(self._bytes(url))
        try:
            array: NDArray[Any] = np.lib.format.read_array(data, allow_pickle=False)
        except Exception as error:  # the header is parsed as Python: a wrong one raises anything
            why = " ".join(str(error).split())
            raise damaged(url, self.file, f"is no whole .npy file ({why})") from error
        self._refuse_other(url, array)
        return array

    def _bytes(self, url: str) -> bytes:
        try:
            return read_bytes(join(url, self.file))
        except FileNotFoundError:
            raise damaged(url, self.file, "is missing") from None
        except OSError as error:
            raise DataError(f"{url}: {self.file} can't be read: {error}") from error

    def _refuse_other(self, url: str, array: NDArray[Any]) -> None:
        if self.shape not in (None, array.shape):
            raise damaged(url, self.file, f"has the shape {array.shape}, and model.json says {self.shape}")
        if self.dtype not in (None, array.dtype.str):
            raise damaged(url, self.file, f"has the dtype {array.dtype.str}, and model.json says {self.dtype}")
        wrong = 0 if array.dtype.kind not in "fc" else array.size - int(np.count_nonzero(np.isfinite(array)))
        if wrong:
            raise damaged(url, self.file, f"holds {wrong:,} numbers of {array.size:,} that are nan or inf")


def npy(array: NDArray[Any]) -> bytes:
    """The array as a file. ValueError if it holds Python objects."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()
