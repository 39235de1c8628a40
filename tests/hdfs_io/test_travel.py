"""An errand and what was found on it travel as bytes and come back as they were."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from hdfs_io import DataError
from hdfs_io.dataset import Piece
from hdfs_io.errand import Errand, Findings, Portion
from hdfs_io.merge import merged
from hdfs_io.options import ReadOptions, Roles
from hdfs_io.survey import Ask, Fault, Reject, Survey, Vectors
from hdfs_io.travel import errand_of, errand_text, pack, unpack

TEXT = st.text(max_size=6)  # all of Unicode but lone surrogates
BROKEN = st.text(st.characters(exclude_categories=()), max_size=6)  # those too, as in a row that is no UTF-8
WHOLE = st.integers(-(2**63), 2**63 - 1)
COUNT = st.integers(0, 2**62)
NUMBER = st.floats()
FAULT = st.builds(Fault, COUNT, BROKEN)
KINDS = st.sampled_from(
    [
        pa.null(), pa.bool_(), pa.int8(), pa.uint64(), pa.float16(), pa.float64(), pa.string(), pa.binary(),
        pa.large_string(), pa.decimal128(38, 7), pa.timestamp("us", "Europe/Paris"), pa.list_(pa.float32()),
        pa.list_(pa.field("element", pa.int64(), nullable=False)), pa.list_(pa.float32(), 3),
        pa.date32(), pa.dictionary(pa.int32(), pa.string()),
        pa.struct([("type", pa.int8()), ("size", pa.int32()), ("indices", pa.list_(pa.int32()))]),
    ]
)  # fmt: skip
PIECE = st.builds(
    Piece, TEXT, COUNT, COUNT, rows=COUNT, bad=st.lists(COUNT, max_size=3).map(tuple),
    more=st.lists(st.tuples(TEXT, COUNT), max_size=2).map(tuple),
)  # fmt: skip


@st.composite
def counted(draw: st.DrawFn) -> pa.StructArray:
    kind, one = draw(
        st.sampled_from([(pa.string(), TEXT), (pa.float64(), NUMBER), (pa.int64(), WHOLE), (pa.bool_(), st.booleans())])
    )
    values = draw(st.lists(one, max_size=4))
    counts = draw(st.lists(COUNT, min_size=len(values), max_size=len(values)))
    array = pa.StructArray.from_arrays([pa.array(values, kind), pa.array(counts, pa.int64())], ["values", "counts"])
    return array.slice(draw(st.integers(0, len(values))))  # a part of a buffer


def by_name(one: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(TEXT, one, max_size=3)


def maybe(one: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | one


WORDS = st.lists(TEXT, max_size=4, unique=True).map(lambda words: pa.array(words, pa.string()))
SURVEY = st.builds(
    Survey,
    rows=st.integers(0, 2**40),
    values=st.integers(0, 2**40),
    columns=st.lists(st.tuples(TEXT, KINDS), max_size=4).map(tuple),
    distinct=maybe(st.lists(counted(), max_size=2).map(tuple)),
    labels=maybe(FAULT),
    strange=maybe(FAULT),
    weights=maybe(FAULT),
    heaviest=NUMBER | NUMBER.map(np.float64),
    missing=by_name(FAULT),
    large=by_name(FAULT),
    ranges=by_name(st.tuples(NUMBER, NUMBER)),
    spelled=by_name(FAULT),
    least=maybe(WHOLE),
    greatest=WHOLE,
    beyond=maybe(FAULT),
    bare=COUNT | st.integers(0, 100).map(np.int64),
    words=by_name(maybe(WORDS)),
    strangers=by_name(FAULT),
    vectors=by_name(st.builds(Vectors, WHOLE, st.booleans(), COUNT)),
    sums=by_name(st.tuples(NUMBER, COUNT)),
    bad=st.lists(COUNT, max_size=3).map(tuple),
    rejects=st.lists(st.builds(Reject, BROKEN, BROKEN, BROKEN), max_size=2).map(tuple),
)
NAMES = st.lists(TEXT, max_size=3).map(tuple)
VALUE = TEXT | WHOLE | NUMBER | st.booleans()
ASK = st.builds(
    Ask,
    label=maybe(TEXT),
    distinct=st.booleans(),
    classes=maybe(st.lists(VALUE, max_size=3).map(tuple)),
    features=maybe(st.lists(TEXT, max_size=3).map(tuple)),
    roles=st.frozensets(TEXT, max_size=3),
    limit=maybe(st.tuples(WHOLE, WHOLE)),
    known=by_name(st.lists(TEXT, max_size=3).map(tuple)),
    numbers=st.frozensets(TEXT, max_size=3),
    scales=maybe(by_name(NUMBER)),
    keys=st.lists(TEXT, max_size=2).map(tuple),
    missing=st.sampled_from(["stop", "nan", "zero", "mean"]),
)
OPTIONS = st.builds(
    ReadOptions,
    format=maybe(TEXT),
    header=maybe(st.booleans()),
    roles=st.builds(Roles, label=maybe(TEXT | st.integers(-3, 3)), features=maybe(NAMES)),
    partitions=NAMES,
)
PORTIONS = st.lists(st.builds(Portion, PIECE, COUNT, st.booleans()), max_size=3).map(tuple)


def exactly(value: Any) -> Any:
    """What two values have in common that are the same to the last bit, and of the same types."""
    if is_dataclass(value):
        return type(value), [exactly(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, pa.Array):
        return str(value.type), exactly(value.to_pylist())
    if isinstance(value, Mapping):
        return "mapping", [(name, exactly(one)) for name, one in value.items()]
    if isinstance(value, tuple | list):
        return type(value), [exactly(one) for one in value]
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, float) and math.isnan(plain):
        return "nan"
    return type(plain), repr(plain) if isinstance(plain, float) else plain


@settings(deadline=None, max_examples=40)
@given(st.lists(st.lists(st.tuples(PIECE, SURVEY), max_size=3).map(tuple), max_size=3), st.integers(0, 100), BROKEN)
def test_findings_come_back_as_they_were(looked: list[Any], first: int, fault: str) -> None:
    findings = Findings(first, tuple(looked), fault)
    assert exactly(unpack(pack(findings))) == exactly(findings)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(PIECE, SURVEY), max_size=3))
def test_what_travelled_makes_the_same_whole(looked: list[Any]) -> None:
    surveys = [survey for _, survey in looked]
    again = [survey for _, survey in unpack(pack(Findings(0, (tuple(looked),)))).looked[0]]
    assert whole(again) == whole(surveys)


def whole(surveys: list[Survey]) -> Any:
    try:
        return exactly(merged(surveys))
    except (DataError, pa.ArrowException) as error:  # no type holds them all
        return str(error)


@settings(deadline=None, max_examples=40)
@given(st.builds(Errand, OPTIONS, PORTIONS, ASK, COUNT))
def test_an_errand_comes_back_as_it_was(errand: Errand) -> None:
    assert exactly(errand_of(errand_text(errand))) == exactly(errand)
