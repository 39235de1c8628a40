"""Model: what a run learned, with all that is needed to use it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Keys, Schema
from yarnml.errors import UsageError
from yarnml.model.abilities import Abilities
from yarnml.model.arrays import damaged
from yarnml.model.coefficients import Coefficients
from yarnml.model.features import Unknown, keys, matrix

Artifacts = dict[str, NDArray[Any]]  # name -> array: what an app's `model` returns and its `predict` reads


@final
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Model:
    """Arrays, and the schema and config that give them a meaning. `yarnml.load(url)` opens a saved one."""

    app: str  # the app's name
    task: str  # the task's name
    schema: Schema
    config: dict[str, Any]
    arrays: Artifacts
    version: str = ""  # of the app
    code: str = ""  # sha256 of the app's source
    private: bool = False  # the app's source travels with the model
    home: str = ""  # of a private app: the folder that it lay in
    metrics: dict[str, dict[str, float]] = field(default_factory=dict)  # of "train" and "test"
    notes: tuple[str, ...] = ()  # remarks of the run worth knowing
    run: str = ""  # the id of the run that saved it
    url: str = ""  # where it was loaded from
    abilities: Abilities | None = None  # the app's, bound when the app is known

    def __repr__(self) -> str:
        classes = f", {self.schema.classes} classes" if self.schema.classes else ""
        part = next((part for part in ("test", "valid", "train") if self.metrics.get(part)), None)
        scores = "" if part is None else f", {part} " + " ".join(f"{k} {v:.4g}" for k, v in self.metrics[part].items())
        of = f"{self.schema.width:,} features{classes}" if self.schema.user is None else "ratings"
        return f"<Model of {self.app}: {of}{scores}>"

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The learned array of this name. DataError if there is none, as where a file was edited."""
        if name not in self.arrays:
            raise damaged(self.url or "this model", "model.json", f"has no array {name!r}, which app {self.app} needs")
        return self.arrays[name]

    def predict(self, X: Any, *, unknown: Unknown = "stop") -> NDArray[Any]:
        """The prediction for each row: labels in their original values, numbers, or group numbers.

        X is (rows, width): numpy, scipy sparse, lists; or a pandas or Arrow table, whose columns are found by name.
        Of a model of ratings X is (rows, 2), users and items, or such a table.
        Raises UsageError if it doesn't have the columns that the model was trained on, DataError for a word that these
        didn't hold; with `unknown="drop"`, as --unknown drop, such words, and columns of sparse rows, are left out.
        """
        return self.predict_columns(X, unknown=unknown)["prediction"]

    @property
    def classes(self) -> NDArray[Any]:
        """The classes that are told apart, in their original values, in the order of `predict_proba`'s columns."""
        label = self.schema.label
        if label is None or label.classes is None:
            self._lacks("tells no classes apart")
        return np.array(label.classes)

    def predict_proba(self, X: Any, *, unknown: Unknown = "stop") -> NDArray[np.float64]:
        """The probability of each class, (rows, classes); every row sums to 1. X as `predict` takes it."""
        names = [f"probability_{name}" for name in self.classes.tolist()]
        columns = self.predict_columns(X, unknown=unknown)
        return np.column_stack([columns[name] for name in names]).astype(np.float64, copy=False)

    def predict_columns(self, X: Any, *, unknown: Unknown = "stop") -> dict[str, NDArray[Any]]:
        """All that is predicted for each row, by column: prediction, and for classes probability_<class>."""
        return self._able.predict(self, matrix(X, self.schema, unknown), keys(X, self.schema))

    def recommend(self, users: Any, n: int = 10) -> tuple[NDArray[Any], NDArray[np.float32]]:
        """Each user's n best items, the best first, (users, n), and how well they suit, (users, n).

        Items that the user has rated are left out if the model knows them. Where fewer are left, items are masked and
        predictions nan. Of a model of ratings; `users`: their ids.
        """
        if self._able.recommend is None:
            self._lacks("recommends nothing")
        if n < 1:
            raise UsageError(f"n={n}: at least one item is to be recommended")
        columns = self._able.recommend(self, Keys.of(users), n)
        return np.ma.masked_array(columns["item"], np.isnan(columns["prediction"])), columns["prediction"]

    @cached_property
    def coefficients(self) -> Coefficients:
        """Of a linear model: feature's name -> coefficient, where it isn't zero; `.intercept`; `.names`, `.weights`."""
        if self._able.coefficients is None:
            self._lacks("has no coefficients")
        return Coefficients.of(self._able.coefficients(self), self.schema)

    def top_words(self, n: int = 10) -> NDArray[Any]:
        """Of a model of topics: the n likeliest words of each, the likeliest first, (topics, n)."""
        if self._able.top_words is None:
            self._lacks("has no topics")
        return self._able.top_words(self, n)

    def summary(self) -> Sequence[str]:
        """A few lines on what was learned; none of a model whose app says nothing of it."""
        return [] if self._able.summary is None else self._able.summary(self)

    @property
    def _able(self) -> Abilities:
        if self.abilities is None:
            raise UsageError(f"this {self.app} model isn't bound to its app; open it with yarnml.load")
        return self.abilities

    def _lacks(self, what: str) -> NoReturn:
        raise UsageError(f"a {self.task} model of {self.app} {what}")
