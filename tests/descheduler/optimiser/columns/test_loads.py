"""What nodes may hold, as items."""

import numpy as np

from tests.descheduler.optimiser.builders import make_item, make_problem, make_site
from tests.descheduler.optimiser.columns.frames import loads_of

PAIR = [make_item("a", node=0, requests=(400, 100, 1)), make_item("b", requests=(400, 100, 1))]


def test_equal_pods_are_one_kind_with_an_item_for_each_that_fits() -> None:
    loads = loads_of(make_problem(PAIR, [make_site("n1", room=(800, 800, 8)), make_site("n2", room=(500, 800, 8))]))

    assert loads.size.tolist() == [2]
    assert loads.allowed.tolist() == [[True, True], [True, False]]
    assert loads.own.tolist() == [[1], [0]]


def test_only_pods_that_stay_save_their_weight() -> None:
    loads = loads_of(make_problem([make_item("a", node=0, weight=3), make_item("b", weight=3)]))

    assert loads.saved.tolist() == [[3.0, 0.0], [0.0, 0.0]]
    assert loads.values(np.array([0.5])).tolist() == [[3.5, 0.5], [0.5, 0.5]]


def test_disturbed_is_the_weight_of_those_left_out() -> None:
    loads = loads_of(make_problem([make_item("a", node=0, weight=3), make_item("b", node=0, weight=3)]))

    assert [loads.disturbed(0, np.array([count])) for count in (0, 1, 2)] == [6, 3, 0]


def test_resources_that_are_plenty_are_left_out() -> None:
    pods = [make_item("a", requests=(400, 300, 1)), make_item("b", requests=(500, 300, 1))]

    assert loads_of(make_problem(pods, [make_site("n1", room=(800, 800, 8))])).sizes.tolist() == [[400], [500]]


def test_a_pod_may_stay_where_it_may_not_be_placed() -> None:
    stays = make_item("a", node=1, eligible=1)
    loads = loads_of(make_problem([stays], eligibility=((0, 1), (0,))))

    assert loads.most.tolist() == [[1], [1]]
    assert loads_of(make_problem([make_item("a", eligible=1)], eligibility=((0, 1), (0,)))).most.tolist() == [[1], [0]]
