"""Options: what a user says about how a data set is read; what isn't said is guessed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self

Column = str | int  # a column by its name, or by its number: 0-based, negative from the end


@dataclass(frozen=True)
class Roles:
    """What the columns of a data set are. A column without a role is a feature, unless `features` names them all."""

    label: Column | None = None
    weight: Column | None = None
    id: Column | None = None
    user: Column | None = None
    item: Column | None = None
    rating: Column | None = None
    text: Column | None = None
    features: tuple[Column, ...] | None = None

    def said(self) -> dict[str, Column]:
        """The single-column roles that were given: role -> column."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "features"}
        return {role: column for role, column in values.items() if column is not None}

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        features = value["features"]
        return cls(**{**value, "features": None if features is None else tuple(features)})


@dataclass(frozen=True)
class ReadOptions:
    """How to read a data set. None means: guess it from the name and the first rows."""

    format: str | None = None  # "libsvm", "csv" or "parquet"
    sep: str | None = None  # CSV: one character; " " stands for any run of blanks
    header: bool | None = None  # CSV: the first line holds the columns' names
    roles: Roles = field(default_factory=Roles)
    unknown: Literal["stop", "drop"] = (
        "stop"  # a libsvm index beyond the model's width: an error, or dropped and counted
    )
    missing: Literal["stop", "nan", "zero"] = (
        "stop"  # a feature that is missing or not finite: an error, or read as that
    )

    def to_json(self) -> dict[str, Any]:
        return {**{f.name: getattr(self, f.name) for f in fields(self)}, "roles": self.roles.to_json()}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        return cls(**{**value, "roles": Roles.from_json(value["roles"])})
