"""Claims against their rules, by random histories of workers that claim, ask again and die."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from yarnml.comm.claims import Claims, Split

Counts = st.lists(st.integers(0, 5), min_size=1, max_size=4)


def test_its_own_first_then_the_last_of_whoever_has_most_left() -> None:
    claims = Claims([2, 1, 4])
    assert [claims.take(0, n) for n in range(4)] == [(0, 0), (0, 1), (2, 3), (2, 2)]
    assert claims.take(1, 0) == (1, 0)
    assert claims.take(1, 1, own=True) is None
    assert [claims.take(2, n) for n in range(3)] == [(2, 0), (2, 1), None]


def test_who_asks_again_is_told_the_same_though_more_has_become_free() -> None:
    claims = Claims([1, 1])
    assert claims.take(0, 0) == claims.take(0, 0) == (0, 0)
    assert claims.take(1, 0) == (1, 0)
    assert claims.take(1, 1) is None
    claims.give_back(0)
    assert claims.take(1, 1) is None
    assert claims.take(1, 2) is not None


@given(counts=Counts, data=st.data())
def test_a_split_has_one_holder_that_lives(counts: list[int], data: st.DataObject) -> None:
    claims = Claims(counts)
    held: list[list[Split]] = [[] for _ in counts]  # by who lives
    done = [False] * len(counts)
    while not all(done):
        worker = data.draw(st.sampled_from([w for w, over in enumerate(done) if not over]))
        match data.draw(st.sampled_from(["claim", "claim", "again", "die"])):
            case "claim":
                split = claims.take(worker, len(held[worker]))
                done[worker] = split is None
                held[worker] += [split] if split else []
            case "again" if held[worker]:
                n = data.draw(st.integers(0, len(held[worker]) - 1))
                assert claims.take(worker, n) == held[worker][n]
            case "die":
                claims.give_back(worker)
                held[worker] = []
        claims.check()
        known = [split for each in held for split in each]
        assert len(set(known)) == len(known)


@given(counts=Counts, data=st.data())
def test_without_deaths_all_are_held(counts: list[int], data: st.DataObject) -> None:
    claims = Claims(counts)
    held: list[Split] = []
    asked = [0] * len(counts)
    busy = set(range(len(counts)))
    while busy:
        worker = data.draw(st.sampled_from(sorted(busy)))
        split = claims.take(worker, asked[worker], own=data.draw(st.booleans()))
        asked[worker] += 1
        if split is None:
            busy.discard(worker)
        else:
            held.append(split)
    assert sorted(held) == [(owner, n) for owner, count in enumerate(counts) for n in range(count)]
