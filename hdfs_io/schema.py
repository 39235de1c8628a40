"""Schema: what a data set's columns are and mean, decided once for all its files and kept with the model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from hdfs_io.options import Missing

Value = str | int | float | bool
LabelKind = Literal["class", "number", "any", "rating", "seen"] | None  # as `scan` tells


@dataclass(frozen=True)
class Label:
    """What is to be predicted: one of `classes` (original values, sorted), or a number where `classes` is None."""

    name: str
    classes: tuple[Value, ...] | None = None
    counts: tuple[int, ...] | None = None  # rows of each class in the data that the schema was made from


@dataclass(frozen=True)
class Input:
    """A column that features are made from: a number as it is, a vector as one each number, words as one each word."""

    column: str
    words: tuple[str, ...] | None = None  # the dictionary: feature k is 1 where the column holds words[k], else 0
    width: int = 1  # features made from it
    is_vector: bool = False
    scale: float = 1.0  # what a number is multiplied by before it becomes float32: a power of two, as it loses no digit

    def names(self) -> tuple[str, ...]:
        """The features' names: column, column=word, column[k]."""
        if self.words is not None:
            return tuple(f"{self.column}={word}" for word in self.words)
        return tuple(f"{self.column}[{k}]" for k in range(self.width)) if self.is_vector else (self.column,)


@dataclass(frozen=True)
class Schema:
    """The columns that a model is made from. Test data and data to predict are read by the same one."""

    sparse: bool  # rows are a CSR matrix, else a dense one
    width: int  # number of features
    base: int = 0  # libsvm: the index of the first feature, 0 if any row of the data set uses 0, else 1
    features: tuple[str, ...] | None = None  # the features' names in order; None where they have only numbers
    label: Label | None = None
    weight: str | None = None  # column names
    id: str | None = None
    inputs: tuple[Input, ...] | None = None  # where features come from; None: each from the column of its name
    missing: Missing = "stop"  # how missing features were read
    means: tuple[float, ...] | None = None  # of each feature, where missing ones were read as that
    user: str | None = None  # columns of ids, where rows are ratings: their label is the rating
    item: str | None = None

    @property
    def columns(self) -> tuple[Input, ...]:
        """The columns that features are made from, in their order; none for formats without columns."""
        return self.inputs if self.inputs is not None else tuple(map(Input, self.features or ()))

    @property
    def scales(self) -> tuple[float, ...] | None:
        """What each feature is multiplied by; None where all are read as they are."""
        if all(each.scale == 1 for each in self.inputs or ()):
            return None
        return tuple(each.scale for each in self.columns for _ in range(each.width))

    @property
    def classes(self) -> int:
        """Number of classes; 0 where the label is a number or there is none."""
        return 0 if self.label is None or self.label.classes is None else len(self.label.classes)

    def name(self, feature: int) -> str:
        """What the data calls a feature, numbered from 0: by its column, or where there are none by its index."""
        return str(feature + self.base) if self.features is None else self.features[feature]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        label, features = value.get("label"), value.get("features")
        if label is not None:
            label = Label(label["name"], _tuple(label.get("classes")), _tuple(label.get("counts")))
        inputs, means = value.get("inputs"), value.get("means")
        if inputs is not None:
            inputs = tuple(Input(**{**each, "words": _tuple(each.get("words"))}) for each in inputs)
        more = {"inputs": inputs, "means": _tuple(means), "features": _tuple(features)}
        return cls(**{**value, "label": label, **more})


def _tuple(value: Any) -> Any:
    return None if value is None else tuple(value)
