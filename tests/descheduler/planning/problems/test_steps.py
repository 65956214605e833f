"""The order of steps: all disruptions before all placements, whoever has room first, anchors before their followers."""

from typing import Any

from descheduler.optimiser.problem import Attraction, Item, Problem, Site
from descheduler.planning.problems.steps import steps


def item(node: int | None, cpu: int, **changes: Any) -> Item:
    return Item(key=f"{node}-{cpu}", requests=(cpu,), tier=changes.pop("tier", 0), eligible=0, node=node, **changes)


def problem(*items: Item, rooms: tuple[int, ...] = (10, 10, 10), attractions: tuple[Attraction, ...] = ()) -> Problem:
    sites = tuple(Site(name=f"n{at}", room=(room,), allocatable=(room,)) for at, room in enumerate(rooms))
    return Problem(
        resources=("cpu",),
        sites=sites,
        items=items,
        eligibility=(tuple(range(len(rooms))),),
        tiers=2,
        primary=(0,),
        attractions=attractions,
    )


def test_disruptions_come_before_placements_and_who_stays_takes_no_step() -> None:
    found = steps(problem(item(None, 7), item(0, 4), item(0, 4), item(1, 4)), (0, 0, 1, 1))

    assert (found.disruptions, found.placements) == ((2,), (0,))


def test_a_move_comes_once_its_target_has_room() -> None:
    chain = problem(item(0, 8), item(1, 8), item(2, 1))

    assert steps(chain, (1, 2, 2)).disruptions == (1, 0)


def test_pods_that_change_places_take_their_steps_all_the_same() -> None:
    swap = problem(item(0, 8), item(1, 8))

    assert steps(swap, (1, 0)).disruptions == (0, 1)


def test_an_eviction_comes_after_the_moves_that_need_it_not() -> None:
    mixed = problem(item(0, 8), item(1, 8), item(0, 2), tuple_room := item(2, 3))

    assert tuple_room.node == 2
    assert steps(mixed, (1, None, 2, 2)).disruptions == (2, 1, 0)


def test_a_victim_that_must_leave_frees_nothing_and_stays_where_it_has_no_place() -> None:
    relieved = problem(item(0, 4, must_leave=True), item(1, 8), rooms=(10, 10, 10))

    assert steps(relieved, (None, 0)).disruptions == (1,)
    assert steps(relieved, (2, 1)).disruptions == (0,)


def test_more_important_placements_come_first() -> None:
    assert steps(problem(item(None, 1, tier=1), item(None, 1)), (0, 0)).placements == (1, 0)


def following(carriers: tuple[int, ...], matching: tuple[int, ...], **changes: Any) -> Attraction:
    return Attraction(name="near", carriers=carriers, matching=matching, domains=(0, 1, 2), **changes)


def test_whom_others_follow_is_placed_before_them() -> None:
    chained = (following((0,), (1,)), following((1,), (2,)))

    assert steps(problem(*(item(None, 1) for _ in range(3)), attractions=chained), (0, 0, 0)).placements == (2, 1, 0)


def test_company_that_is_there_already_is_not_waited_for() -> None:
    items = (item(None, 1), item(None, 1), item(0, 1))

    assert steps(problem(*items, attractions=(following((0,), (1, 2)),)), (0, 0, 0)).placements == (0, 1)
    assert steps(problem(*items, attractions=(following((0,), (1,), fixed=(0,)),)), (0, 0, 0)).placements == (0, 1)


def test_affinity_in_a_circle_comes_to_an_end() -> None:
    circle = (following((0,), (1,)), following((1,), (0,)))

    assert sorted(steps(problem(item(None, 1), item(None, 1), attractions=circle), (0, 0)).placements) == [0, 1]
