"""The order of attractions: the same as by looking at every pair of them, in a time that grows with their members."""

import time
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from descheduler.optimiser.problem import Attraction
from descheduler.optimiser.ties.waiting import circular, waits_for_nobody

DOMAINS = (0, 1)


def attraction(carriers: Sequence[int], matching: Sequence[int]) -> Attraction:
    return Attraction(name="near", carriers=tuple(carriers), matching=tuple(matching), domains=DOMAINS)


def chain(length: int) -> list[Attraction]:
    """Return attractions each of which waits for the one before it."""
    return [attraction([pod + 1], [pod]) for pod in range(length)]


def drawn() -> st.SearchStrategy[list[Attraction]]:
    members = st.lists(st.integers(0, 7), max_size=4)
    return st.lists(st.builds(attraction, members, members), max_size=7)


def by_pairs(attractions: Sequence[Attraction]) -> tuple[list[frozenset[int]], bool]:
    """Return the matches that may come first, and whether there is a circle, pair by pair as it is defined."""
    before, circle = [frozenset[int]()] * len(attractions), False
    for numbers, waiting in rounds_by_pairs(attractions):
        for number in numbers:
            before[number] = frozenset(attractions[number].matching) - waiting
            circle |= held_up(attractions, number, numbers)
    return before, circle


def rounds_by_pairs(attractions: Sequence[Attraction]) -> Iterator[tuple[list[int], frozenset[int]]]:
    left = list(range(len(attractions)))
    while left:
        waiting = frozenset[int]().union(*(attractions[number].carriers for number in left))
        free = [number for number in left if not held_up(attractions, number, left)] or left
        yield free, waiting
        left = [number for number in left if number not in free]


def held_up(attractions: Sequence[Attraction], number: int, left: Sequence[int]) -> bool:
    matching = set(attractions[number].matching)
    return any(other != number and matching.intersection(attractions[other].carriers) for other in left)


@settings(max_examples=300)
@given(drawn())
def test_the_same_as_pair_by_pair(attractions: list[Attraction]) -> None:
    assert (waits_for_nobody(attractions), circular(attractions)) == by_pairs(attractions)


@pytest.mark.parametrize(
    ("attractions", "before", "circle"),
    [
        ([], [], False),
        ([attraction([1], [0])], [{0}], False),
        ([attraction([0, 1], [0, 1, 2])], [{2}], False),
        ([attraction([0], [1]), attraction([1], [0])], [set(), set()], True),
        ([attraction([0], [1]), attraction([1], [0, 2]), attraction([3], [0])], [set(), {2}, set()], True),
        (chain(3), [{0}, {1}, {2}], False),
    ],
    ids=["none", "one", "of itself", "circle", "circle and who waits for it", "chain"],
)
def test_who_may_come_first(attractions: list[Attraction], before: list[set[int]], *, circle: bool) -> None:
    assert waits_for_nobody(attractions) == before
    assert circular(attractions) is circle


@pytest.mark.parametrize("hub", [False, True], ids=["chain", "all near one"])
def test_thousands_of_attractions_take_no_time(hub: bool) -> None:  # noqa: FBT001  # parametrized
    many = 20_000
    attractions = [attraction([pod], [many]) for pod in range(many)] if hub else chain(many)

    began = time.process_time()
    before = waits_for_nobody(attractions)

    assert all(before)
    assert time.process_time() - began < 5.0  # pair by pair it takes minutes for the tenth part of them
