"""Schema: what a data set's columns are and mean, decided once for all its files and kept with the model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

Value = str | int | float | bool


@dataclass(frozen=True)
class Label:
    """What is to be predicted: one of `classes` (original values, sorted), or a number where `classes` is None."""

    name: str
    classes: tuple[Value, ...] | None = None


@dataclass(frozen=True)
class Schema:
    """The columns that a model is made from. Test data and data to predict are read by the same one."""

    sparse: bool  # rows are a CSR matrix, else a dense one
    width: int  # number of features
    base: int = 0  # libsvm: the index of the first feature, 0 if any row of the data set uses 0, else 1
    features: tuple[str, ...] | None = None  # the features' column names in order; None for libsvm
    label: Label | None = None
    weight: str | None = None  # column names
    id: str | None = None

    @property
    def classes(self) -> int:
        """Number of classes; 0 where the label is a number or there is none."""
        return 0 if self.label is None or self.label.classes is None else len(self.label.classes)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        label, features = value["label"], value["features"]
        if label is not None:
            classes = label["classes"]
            label = Label(label["name"], None if classes is None else tuple(classes))
        features = None if features is None else tuple(features)
        return cls(**{**value, "label": label, "features": features})
