"""Options: what a user says about how a data set is read; what isn't said is guessed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self

SPARSE = frozenset({"libsvm", "ldac", "docword", "mm"})  # formats of sparse rows whose features have no names
TEXTS = frozenset({"text", "files"})  # formats of rows whose column "text" is one
Quote = Literal["double", "backslash", "none"]  # a quote within quotes is doubled, or escaped; or quotes are text
Missing = Literal["stop", "nan", "zero", "mean"]  # an error, or read as that
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

    format: str | None = None  # one of hdfs_io.formats.FORMATS
    sep: str | None = None  # CSV: one character; " " stands for any run of blanks
    header: bool | None = None  # CSV: the first line holds the columns' names
    roles: Roles = field(default_factory=Roles)
    unknown: Literal["stop", "drop"] = (
        "stop"  # an index or word that the model doesn't know: an error, or dropped and counted
    )
    missing: Missing | None = None  # a feature that is missing or not finite; None: as the model's data, else "stop"
    quote: Quote | None = None  # CSV: what quotes are
    words: Literal["hot", "drop"] = "hot"  # a column of few words: a 0/1 feature for each word, or left out
    bad_rows: Literal["stop", "skip"] = "stop"  # a row that can't be used: an error, or left out and counted
    rejects: str | None = None  # URL of a file that the rows left out are written to
    partitions: tuple[str, ...] = ()  # columns that directories `column=value` tell
    index: tuple[str, ...] = ()  # columns that are pandas' index, which nobody asked for

    def to_json(self) -> dict[str, Any]:
        return {**{f.name: getattr(self, f.name) for f in fields(self)}, "roles": self.roles.to_json()}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        names = {name: tuple(value.get(name, ())) for name in ("partitions", "index")}
        return cls(**{**value, "roles": Roles.from_json(value["roles"]), **names})
