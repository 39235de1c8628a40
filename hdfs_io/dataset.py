"""Dataset: files cut into pieces whose rows are counted, and the schema they are read by."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from hdfs_io.options import ReadOptions
from hdfs_io.schema import Schema
from hdfs_io.spoken import listed, many

ROW = 24  # bytes of a row in memory besides its features: its number, where its values begin, label and weight


@dataclass(frozen=True)
class Piece:
    """A run of whole rows of one file, or of small files one after the other, read by one thread."""

    file: str  # URL
    start: int  # bytes of a text file, row groups of a Parquet file
    stop: int
    first_row: int = 0  # its global number
    rows: int = 0
    values: int = 0  # stored values of sparse rows
    bad: tuple[int, ...] = ()  # rows of it, counted with these, that are left out
    more: tuple[tuple[str, int], ...] = ()  # small files that are read after the first: URL, byte to begin at

    @property
    def files(self) -> tuple[str, ...]:
        return (self.file, *(url for url, _ in self.more))

    def read_as(self, row: int) -> int:
        """The number in the piece, as it is read, of a row: `row` counts those alone that aren't left out."""
        for bad in self.bad:  # rising
            row += bad <= row
        return row


@dataclass(frozen=True)
class Dataset:
    """A scanned data set. It travels as JSON to every process that reads a share of it."""

    url: str
    options: ReadOptions  # resolved: format, separator, header and roles are filled in
    schema: Schema
    pieces: tuple[Piece, ...]  # in the rows' order
    rows: int
    types: tuple[tuple[str, str], ...] = ()  # every column of the files, with its Arrow type over all of them
    has_label: bool = True  # the files hold the schema's label column
    written: tuple[str, ...] = ()  # columns of numbers whose text says more: it is what is carried
    notes: tuple[str, ...] = ()  # remarks worth printing: guessed, skipped, widened, left out
    left_out: tuple[tuple[str, int], ...] = ()  # what is wrong with rows that are left out, and how many there are
    kept: tuple[Any, ...] | None = field(default=None, repr=False, compare=False)  # parsed pieces, of this process only

    def to_json(self) -> dict[str, Any]:
        plain = ("url", "rows", "types", "has_label", "written", "notes", "left_out")
        value = {name: getattr(self, name) for name in plain}
        pieces = [asdict(piece) for piece in self.pieces]
        return {**value, "options": self.options.to_json(), "schema": self.schema.to_json(), "pieces": pieces}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        return cls(
            url=value["url"],
            options=ReadOptions.from_json(value["options"]),
            schema=Schema.from_json(value["schema"]),
            pieces=tuple(map(_piece, value["pieces"])),
            rows=value["rows"],
            types=tuple((name, kind) for name, kind in value["types"]),
            has_label=value["has_label"],
            written=tuple(value.get("written", ())),
            notes=tuple(value["notes"]),
            left_out=tuple((kind, rows) for kind, rows in value.get("left_out", ())),
        )

    def describe(self) -> list[str]:
        """Lines that tell a user what was found and how it is read."""
        files = len({file for piece in self.pieces for file in piece.files})
        kind = "sparse" if self.schema.sparse else "dense"
        rows = f"{many(self.rows, 'row')} x {many(self.schema.width, f'{kind} feature')}"
        size = rows if self.schema.user is None else many(self.rows, "rating")
        lines = [f"{self.url}: {size} in {many(files, 'file')}", f"  read as {self.how}"]
        if self.schema.label is not None:
            lines.append(f"  label {self._label()}")
        lines += [f"  {role} {column!r}" for role, column in self.options.roles.said().items() if role != "label"]
        return lines + [f"  note: {note}" for note in self.notes]

    def bytes_between(self, lo: int, hi: int) -> int:
        """About how many bytes the global rows [lo, hi) take in memory."""
        keys = (self.schema.user is not None) + (self.schema.item is not None)
        fixed = ROW + 4 * (keys + (0 if self.schema.sparse else self.schema.width))
        values = 0.0
        for piece in self.pieces if self.schema.sparse else ():
            common = min(hi, piece.first_row + piece.rows) - max(lo, piece.first_row)
            if common > 0:
                values += piece.values * common / piece.rows
        return (hi - lo) * fixed + int(8 * values)

    @property
    def row_bytes(self) -> int:
        """The same of a row, in the mean."""
        return max(1, self.bytes_between(0, self.rows) // max(1, self.rows))

    def forget(self) -> Self:
        """The same data set without what the scan kept."""
        return replace(self, kept=None)

    @property
    def how(self) -> str:
        """As what it is read, in words."""
        options = self.options
        if options.format == "csv":
            quotes = {"none": ", quotes are text", "backslash": ", backslashes before quotes within quotes"}
            header = f"{'with' if options.header else 'no'} header"
            return f"csv, separator {options.sep!r}, {header}{quotes.get(str(options.quote), '')}"
        return f"libsvm, indices from {self.schema.base}" if options.format == "libsvm" else str(options.format)

    def _label(self) -> str:
        label = self.schema.label
        assert label is not None
        if not self.has_label:
            return f"{label.name!r}: not in these files"
        if label.classes is None:
            return f"{label.name!r}: a number"
        shown = listed(label.classes, 10, lambda value: str(value)[:20])
        return f"{label.name!r}: {many(len(label.classes), 'class')} ({shown})"


def _piece(value: dict[str, Any]) -> Piece:
    more = tuple((url, start) for url, start in value.get("more", ()))
    return Piece(**{**value, "bad": tuple(value.get("bad", ())), "more": more})
