"""Scan: one pass over a data set that counts its rows and decides its schema.

Listing and cutting (plan.py) and deciding (settle.py) take little, and are done here. Between them every piece is
surveyed: by threads of here (here.py), or by whoever a `surveyor` asks.
"""

from __future__ import annotations

from collections.abc import Sequence

from hdfs_io.again import again
from hdfs_io.dataset import Dataset
from hdfs_io.errand import Errand, Looked, Surveyor, nobody
from hdfs_io.found import Found
from hdfs_io.frames import unnoted
from hdfs_io.here import Here
from hdfs_io.merge import merged
from hdfs_io.options import ReadOptions
from hdfs_io.plan import Plan, Progress, planned
from hdfs_io.reader import PIECE
from hdfs_io.schema import LabelKind, Schema
from hdfs_io.settle import settle

__all__ = ["LabelKind", "scan"]

SHRINKS = 2  # times that text gets smaller by being parsed, at most: of more than that nothing need be kept


def silent(_done: int, _all: int) -> None:
    pass


def scan(
    url: str,
    options: ReadOptions | None = None,
    *,
    label: LabelKind,
    schema: Schema | None = None,
    keep: int = 0,
    threads: int = 1,
    memory: int | None = None,
    piece: int = PIECE,
    progress: Progress = silent,
    surveyor: Surveyor = nobody,
) -> Dataset:
    """Cut `url` into pieces, count their rows and decide the schema, or read by the `schema` of a model.

    `label` says what the label is: one of some classes, a number, either ("any": few whole numbers and words are
    classes), a rating of an item by a user, that where the columns are called so and else any ("seen"), or not wanted
    (None; a column with that role is then left out of the features). With a `schema`, files without the label's column
    are fine: `has_label` of the result is false. `keep` lets `load` in this process use
    what was parsed here. `piece` bounds the bytes of text that a thread reads at a time.
    Only as many of the `threads` read at once as `memory` bytes (None: any) allow beside what is kept, at least one.
    `progress` is told the parts done and all of them: first files that are cut, then pieces that are read.
    `surveyor` may have the pieces looked at elsewhere, which changes nothing in the result.

    Raises DataError with file and line for text that can't be read, for labels that are missing (words that spell it,
    as NA does, too), nan or inf, for weights that aren't numbers from 0 up, and, as the options say, for missing
    features and for features that `schema` doesn't know. A nan in a feature of Parquet, whose statistics don't tell of
    it, is found by `load`.
    """
    return settle(survey(url, options, label, schema, keep, threads, memory, piece, progress, surveyor), schema)


def survey(
    url: str,
    options: ReadOptions | None = None,
    label: LabelKind = "any",
    schema: Schema | None = None,
    keep: int = 0,
    threads: int = 1,
    memory: int | None = None,
    piece: int = PIECE,
    progress: Progress = silent,
    surveyor: Surveyor = nobody,
) -> Found:
    """The pass over the data: what each piece holds, as `scan` asks.

    A column that is pandas' index in some file alone is known for one only then, so that all is looked at again.
    """
    index: Sequence[str] = ()
    while True:
        free = None if memory is None else memory - keep
        plan = planned(url, options, label, schema, threads, free, piece, progress, index)
        found = _looked_at(url, plan, keep if plan.size <= SHRINKS * keep else 0, progress, surveyor)
        index = sorted({name for survey in found.surveys for name in survey.index})
        if schema is not None or set(index) <= set(plan.index):
            return found


def _looked_at(url: str, plan: Plan, keep: int, progress: Progress, surveyor: Surveyor) -> Found:

    def look(errand: Errand, here: Here) -> Sequence[Looked]:
        looked = surveyor(errand)
        return here(errand) if looked is None else looked

    first = look(plan.errand, Here(plan.reader, plan.hands, keep, progress))
    looked, told = again(
        plan.errand,
        first,
        lambda errand: look(errand, Here(plan.reader, plan.hands, 0, silent)),
        guesses=plan.reader.guesses_types,
    )
    pieces, surveys = [piece for piece, _ in looked], [survey for _, survey in looked]
    options = plan.errand.options
    notes = (*plan.notes, *told, *unnoted(options.index, [(p.file, s.index) for p, s in looked]))
    return Found(url, options, pieces, surveys, merged(surveys), plan.guessed, notes, plan.label, plan.size)
