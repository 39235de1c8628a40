"""Rated: which columns of ratings hold the user, the item and the rating. Pure: it reads nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hdfs_io.options import Roles

NAMES = {  # what such columns are called, in any case, `_id` and the like aside
    "user": ("user", "customer", "reviewer", "visitor", "member", "account", "person"),
    "item": ("item", "movie", "product", "track", "song", "artist", "book", "isbn", "asin", "article"),
    "rating": ("rating", "ratings", "score", "stars", "overall", "count", "plays", "label"),
}


def rated(names: Sequence[str], roles: Roles, index: Sequence[str] = ()) -> tuple[Roles, list[str]]:
    """The roles of rows that are ratings, and a remark for each that was guessed.

    They are known by their names, and where there are no such names by their places: user, item, rating.
    The rating is the rows' label; there may be none, where a row says only that it was. Other columns are no features.
    Those of `index`, a data frame's, may be called so, but their places say nothing.
    """
    found = {"user": roles.user, "item": roles.item, "rating": roles.rating if roles.label is None else roles.label}
    guessed = [role for role, column in found.items() if column is None]
    for role in guessed:
        found[role] = _called(_free(names, roles, found), NAMES[role])
    if not any(found.values()):
        found = dict(zip(found, (*(name for name in names if name not in index), None), strict=False))
    notes = [f"{role} is column {found[role]!r}: guessed, as none was said" for role in guessed if found[role]]
    label, user, item = found["rating"], found["user"], found["item"]
    return replace(roles, user=user, item=item, label=label, rating=None, features=()), notes


def are_ratings(names: Sequence[str], roles: Roles) -> bool:
    """Whether rows of these columns are ratings, where nobody says what is to be learned from them.

    User and item are said; or they and the rating are called so, or there is nothing but the two.
    """
    if roles.user is not None and roles.item is not None:
        return True
    if roles.label is not None or roles.features is not None:
        return False
    found = [_called(names, wanted) for wanted in NAMES.values()]
    user, item, rating = found
    return user is not None and item is not None and (rating is not None or len(names) == len(found) - 1)


def _free(names: Sequence[str], roles: Roles, found: dict[str, str | int | None]) -> list[str]:
    taken = {*roles.said().values(), *found.values()}
    return [name for name in names if name not in taken]


def _called(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    plain = {re.sub(r"[^a-z]|ids?$|code$", "", re.sub(r"[^a-z]", "", name.lower())): name for name in reversed(names)}
    return next((plain[each] for each in wanted if each in plain), None)
