"""Merge: what pieces that follow each other hold together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from hdfs_io.codes import united
from hdfs_io.kinds import widen
from hdfs_io.labels import pooled
from hdfs_io.survey import Fault, Survey, Vectors

MOST_WORDS, LONGEST = 100_000, 16 << 20  # different words of a column that are collected, and their bytes
FOLDED = 8  # surveys that wait until they are merged


def merged(surveys: Sequence[Survey]) -> Survey:
    """What pieces that follow each other hold together; a column's type is the least that holds all of its values."""
    distinct = [survey.distinct for survey in surveys if survey.distinct is not None]
    return Survey(
        rows=sum(survey.rows for survey in surveys),
        values=sum(survey.values for survey in surveys),
        columns=tuple(types_over(surveys).items()),
        distinct=pooled(array for arrays in distinct for array in arrays) if distinct else None,
        labels=together([survey.labels for survey in surveys]),
        strange=together([survey.strange for survey in surveys]),
        weights=together([survey.weights for survey in surveys]),
        heaviest=max((survey.heaviest for survey in surveys), default=0.0),
        missing=by_column([survey.missing for survey in surveys]),
        large=by_column([survey.large for survey in surveys]),
        ranges=ranges([survey.ranges for survey in surveys]),
        spelled=by_column([survey.spelled for survey in surveys]),
        least=min((survey.least for survey in surveys if survey.least is not None), default=None),
        greatest=max((survey.greatest for survey in surveys), default=-1),
        beyond=together([survey.beyond for survey in surveys]),
        bare=sum(survey.bare for survey in surveys),
        words=dictionaries([survey.words for survey in surveys]),
        strangers=by_column([survey.strangers for survey in surveys]),
        vectors=vectors([survey.vectors for survey in surveys]),
        sums=totals([survey.sums for survey in surveys]),
        rejects=tuple(reject for survey in surveys for reject in survey.rejects),
        codes=united([survey.codes for survey in surveys]),
    )


def types_over(surveys: Sequence[Survey]) -> dict[str, pa.DataType]:
    """The least type that holds all of a column's values."""
    types: dict[str, pa.DataType] = {}
    for name, kind in (column for survey in surveys for column in survey.columns):
        types[name] = widen(types.get(name, pa.null()), kind)
    return types


def dictionaries(found: Sequence[Mapping[str, pa.Array | None]]) -> dict[str, pa.Array | None]:
    """Each column's words once, over all pieces; None where there are too many."""
    out: dict[str, pa.Array | None] = {}
    for name in dict.fromkeys(name for each in found for name in each):
        arrays = [each[name] for each in found if name in each]
        whole = None if any(array is None for array in arrays) else pc.unique(pa.chunked_array(arrays, pa.string()))
        out[name] = None if whole is None or len(whole) > MOST_WORDS or whole.nbytes > LONGEST else whole
    return out


def vectors(found: Sequence[Mapping[str, Vectors]]) -> dict[str, Vectors]:
    """Vectors over all pieces; what keeps any of them from being features keeps all."""
    out: dict[str, Vectors] = {}
    for name, more in ((name, more) for each in found for name, more in each.items()):
        was = out.get(name, Vectors(more.width, sparse=False, values=0))
        widths = {was.width, more.width} - {0}
        fault = (
            was.fault or more.fault or ("vectors of different widths; features need one" if len(widths) > 1 else None)
        )
        out[name] = Vectors(max(widths, default=0), was.sparse or more.sparse, was.values + more.values, fault)
    return out


def ranges(found: Sequence[Mapping[str, tuple[float, float]]]) -> dict[str, tuple[float, float]]:
    """Each column's least and greatest number over all pieces."""
    out: dict[str, tuple[float, float]] = {}
    for name, (low, high) in ((name, more) for each in found for name, more in each.items()):
        was = out.get(name, (low, high))
        out[name] = (min(was[0], low), max(was[1], high))
    return out


def totals(found: Sequence[Mapping[str, tuple[float, int]]]) -> dict[str, tuple[float, int]]:
    """Sums and numbers of values over all pieces."""
    out: dict[str, tuple[float, int]] = {}
    for name, (total, count) in ((name, more) for each in found for name, more in each.items()):
        was = out.get(name, (0.0, 0))
        out[name] = (was[0] + total, was[1] + count)
    return out


def together(faults: Sequence[Fault | None]) -> Fault | None:
    """All faults as one, with the place of the first."""
    real = [fault for fault in faults if fault is not None]
    return Fault(sum(fault.count for fault in real), real[0].place) if real else None


def by_column(faults: Sequence[Mapping[str, Fault]]) -> dict[str, Fault]:
    """The same for each column that has any."""
    names = dict.fromkeys(name for each in faults for name in each)
    found = {name: together([each.get(name) for each in faults]) for name in names}
    return {name: fault for name, fault in found.items() if fault is not None}
