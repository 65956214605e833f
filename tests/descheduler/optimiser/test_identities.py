"""Who is who: numbers stay, disruptions only fall, pending pods come last."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from descheduler.optimiser.classes import classify
from descheduler.optimiser.identities import identify
from descheduler.optimiser.tables import tabulate
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site


def settle(homes: list[int | None], places: list[int], keep: list[float] | None = None) -> list[int]:
    """Return the places of pods of one class, by where they run and where a search wants that many."""
    order = keep or [0.0] * len(homes)
    items = [
        make_item(str(number), node=home, keep_first=first)
        for number, (home, first) in enumerate(zip(homes, order, strict=True))
    ]
    problem = make_problem(items, [make_site(str(number)) for number in range(4)])
    tables = tabulate(problem)
    return [int(place) for place in identify(tables, classify(problem, tables), np.array(places))]


def test_who_runs_there_keeps_the_place() -> None:
    assert settle([0, 1], [1, 0]) == [0, 1]


def test_pending_pods_come_last() -> None:
    assert settle([0, None], [-1, 0]) == [0, -1]
    assert settle([0, None], [-1, 1]) == [1, -1]


def test_old_and_ready_ones_keep_their_place() -> None:
    assert settle([0, 0, 0], [0, 0, 2], keep=[3.0, 1.0, 2.0]) == [0, 2, 0]


PLACES = st.integers(-1, 3)


@given(st.lists(st.tuples(PLACES, PLACES), min_size=1, max_size=8))
def test_numbers_stay_and_disruptions_only_fall(pods: list[tuple[int, int]]) -> None:
    homes = [None if home < 0 else home for home, _ in pods]
    places = [place for _, place in pods]
    settled = settle(homes, places)

    def disturbed(where: list[int]) -> int:
        return sum(home is not None and home != place for home, place in zip(homes, where, strict=True))

    assert sorted(settled) == sorted(places)
    assert disturbed(settled) <= disturbed(places)
    for node in range(4):
        stays = sum(home == node == place for home, place in zip(homes, settled, strict=True))
        assert stays == min(settled.count(node), homes.count(node))
