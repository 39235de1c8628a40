"""Ratings are told of as such: where their columns are called so, or are said to be users and items."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hdfs_io import ReadOptions, Roles, describe, ratings

Put = Callable[[str, str | bytes], str]
MOVIES = "userId,movieId,rating,timestamp\n1,10,4.5,100\n1,11,3,101\n2,10,0.5,102\n"


def lines(url: str, roles: Roles | None = None) -> list[str]:
    return [line.strip() for line in describe(url, ReadOptions(roles=roles or Roles())).splitlines()[1:]]


def test_columns_that_are_called_so(put: Put) -> None:
    url = put("r.csv", MOVIES)
    assert describe(url).startswith(f"{url}: 3 ratings in 1 file\n")
    told = lines(url)
    assert "2 users, 2 items: a rating for 75.000% of pairs" in told
    assert "ratings from 0.5 to 4.5" in told
    assert any(line.startswith("note: taken for ratings by its columns' names") for line in told)
    assert {"column 'userId': int64 (user)", "column 'timestamp': int64"} <= set(told)


def test_columns_that_are_said_and_rows_that_lack_them(put: Put) -> None:
    url = put("r.tsv", "1\t10\t4\n1\t11\t3\n\t10\t5\n")
    told = lines(url, Roles(user=0, item=1, rating=2))
    assert "1 user, 2 items: a rating for 100.000% of pairs" in told
    assert "ratings from 3 to 5" in told
    assert "odd: 1 row without user: --bad-rows skip leaves out such" in told
    assert not any("taken for ratings" in line for line in told)


def test_words_without_ratings_in_parts(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, rows in (("a", "ann,x\nbob,1\n"), ("b", "ann,2\n7,2\n")):
        url = put(f"d/{name}.csv", f"user,item\n{rows}")
    folder = url.rpartition("/")[0]
    told = lines(folder)
    assert "3 users, 3 items: a rating for 44.444% of pairs" in told
    assert not any("ratings from" in line for line in told)
    monkeypatch.setattr(ratings, "ROWS", 3)
    assert "2 users, 3 items in the first 3 rows: a rating for 50.000% of pairs" in lines(folder)


@pytest.mark.parametrize("roles", [Roles(label="rating"), Roles(features=("timestamp",))])
def test_rows_of_features_where_these_are_said(put: Put, roles: Roles) -> None:
    assert "dense feature" in describe(put("r.csv", MOVIES), ReadOptions(roles=roles))


def test_users_and_items_among_features_are_no_ratings(put: Put) -> None:
    assert "3 dense features" in describe(put("r.csv", "user,item,age,y\n1,2,3.5,0\n2,2,4.5,1\n"))
