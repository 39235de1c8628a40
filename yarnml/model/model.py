"""Model: what a run learned, with all that is needed to use it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

from numpy.typing import NDArray

from hdfs_io import CSR, Schema
from yarnml.errors import UsageError
from yarnml.model.features import matrix

Artifacts = dict[str, NDArray[Any]]  # name -> array: what an app's `model` returns and its `predict` reads
Predictor = Callable[["Model", NDArray[Any] | CSR], dict[str, NDArray[Any]]]


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """Arrays, and the schema and config that give them a meaning. `yarnml.load(url)` opens a saved one."""

    app: str  # the app's name
    task: str  # the task's name
    schema: Schema
    config: dict[str, Any]
    arrays: Artifacts = field(repr=False)
    version: str = ""  # of the app
    code: str = ""  # sha256 of the app's source
    private: bool = False  # the app's source travels with the model
    metrics: dict[str, dict[str, float]] = field(default_factory=dict)  # of "train" and "test"
    notes: tuple[str, ...] = ()  # remarks of the run worth knowing
    predictor: Predictor | None = field(default=None, repr=False)  # the app's predict, bound when the app is known

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The learned array of this name."""
        return self.arrays[name]

    def predict(self, X: Any) -> NDArray[Any]:
        """The prediction for each row: labels in their original values, numbers, or group numbers.

        X is (rows, width): numpy, scipy sparse, lists; or a pandas or Arrow table, whose columns are found by name.
        Raises UsageError if it doesn't have the columns that the model was trained on.
        """
        return self.predict_columns(X)["prediction"]

    def predict_columns(self, X: Any) -> dict[str, NDArray[Any]]:
        """All that is predicted for each row, by column: prediction, and for classes probability_<class>."""
        if self.predictor is None:
            raise UsageError(f"this {self.app} model isn't bound to its app; open it with yarnml.load")
        return self.predictor(self, matrix(X, self.schema))
