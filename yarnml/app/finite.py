"""Finite: what is learned and reported must be numbers; a run whose model isn't any has failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR
from hdfs_io.spoken import many
from yarnml.app.app import App
from yarnml.errors import RunFailed, UsageError
from yarnml.model import Artifacts


def finite_numbers(numbers: Mapping[str, float], where: str, app: App, config: Any) -> None:
    """Raise RunFailed if one of these numbers, said at `where`, isn't finite."""
    for name, value in numbers.items():
        if not np.isfinite(value):
            raise RunFailed(f"{name} is {value:g} {where}; {_advice(app, config)}")


def finite_arrays(arrays: Artifacts, where: str, app: App, config: Any) -> None:
    """Raise RunFailed if an array that was learned holds anything but numbers."""
    for name, array in arrays.items():
        wrong = 0 if array.dtype.kind not in "fc" else array.size - int(np.count_nonzero(np.isfinite(array)))
        if wrong:
            raise RunFailed(
                f"{wrong:,} of the {array.size:,} numbers of {name!r} that were learned are nan or inf {where}; "
                f"{_advice(app, config)}"
            )


def finite_rows(X: NDArray[np.float32] | CSR, app: str) -> None:
    """Raise UsageError, with the first such row, if features are nan or inf."""
    values = X.values if isinstance(X, CSR) else X
    if np.isfinite(values).all():
        return
    first, *_ = np.nonzero(~np.isfinite(values))
    row = int(np.searchsorted(X.indptr, first[0], "right")) - 1 if isinstance(X, CSR) else int(first[0])
    raise UsageError(
        f"{many(len(first), 'feature value')} missing, nan or inf (beyond float32 too), the first in row {row}: "
        f"{app} cannot predict from such; leave out such rows, or fill them in"
    )


def _advice(app: App, config: Any) -> str:
    """What the app says, else what most often is wrong."""
    if app.advice is not None:
        return app.advice(config)
    lr = getattr(config, "lr", None)
    if lr is None:
        return "look at the scale of the features"
    return f"the steps were too long: try a smaller --lr than {lr:g}, or look at the scale of the features"
