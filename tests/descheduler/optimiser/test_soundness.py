"""A problem that makes no sense is told by path, all faults at once; a sound one has none."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from descheduler.optimiser import soundness
from descheduler.optimiser.problem import Attraction, Budget, Exclusive, Problem, Separation, Site, Spread
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site
from tests.descheduler.optimiser.strategies import problems

ITEM = make_item("only", node=0)
SPREAD = Spread(name="s", carriers=(0,), counted=(0,), domains=(0, 1), least_over=(0, 1), max_skew=1)


def with_item(**changes: Any) -> Problem:
    """Return a problem whose only pod has these fields."""
    return make_problem([replace(ITEM, **changes)], tiers=1)


def with_spread(**changes: Any) -> Problem:
    """Return a problem with a spread of these fields."""
    return make_problem([ITEM], spreads=(replace(SPREAD, **changes),))


@settings(max_examples=40)
@given(problems())
def test_sound_problem_has_no_fault(problem: Problem) -> None:
    assert soundness.faults(problem) == ()


@pytest.mark.parametrize(
    ("problem", "fault"),
    [
        (with_item(requests=(1, 1)), "items[0].requests: seen 2 amounts; allowed is one for each of 3"),
        (with_item(requests=(-1, 1, 1)), "items[0].requests[0]: seen -1; allowed is 0 to 9223372036854775807"),
        (with_item(requests=(2**63, 1, 1)), "items[0].requests[0]: seen 9223372036854775808; allowed is 0 to"),
        (with_item(tier=1), "items[0].tier: seen 1; allowed is 0 to 0"),
        (with_item(tier=-1), "items[0].tier: seen -1; allowed is 0 to 0"),
        (with_item(eligible=1), "items[0].eligible: seen 1; allowed is 0 to 0"),
        (with_item(node=2), "items[0].node: seen 2; allowed is 0 to 1, or null"),
        (with_item(weight=0), "items[0].weight: seen 0; allowed is 1 to 1099511627776"),
        (with_item(keep_first=float("nan")), "items[0].keep_first: seen nan; allowed is a finite number"),
        (make_problem([ITEM, ITEM]), "items[1].key: seen 'only'; allowed is each only once"),
        (make_problem([], [make_site("a"), make_site("a")]), "sites[1].name: seen 'a'; allowed is each only once"),
        (make_problem([], [Site(name="a", room=(1,), allocatable=(1, 1, 1))]), "sites[0].room: seen 1 amounts"),
        (
            make_problem([], [make_site(room=(2**70, 1, 1), allocatable=(1, 1, 1))]),
            "sites[0].room[0]: seen 1180591620717411303424",
        ),
        (make_problem(primary=(3,)), "primary[0]: seen 3; allowed is 0 to 2"),
        (make_problem(tiers=-1), "tiers: seen -1; allowed is 0 or more"),
        (make_problem(eligibility=((1, 0),)), "eligibility[0]: seen nodes out of order or repeated"),
        (make_problem(eligibility=((0, 2),)), "eligibility[0][1]: seen 2; allowed is 0 to 1"),
        (
            make_problem(budgets=(Budget(name="b", members=(0,), allowed=1),)),
            "budgets[0].members[0]: seen 0; allowed is nothing, as there is none",
        ),
        (
            make_problem([ITEM], exclusives=(Exclusive(name="e", members=(-1,)),)),
            "exclusives[0].members[0]: seen -1; allowed is 0 to 0",
        ),
        (
            make_problem([ITEM], separations=(Separation(name="s", carriers=(0,), others=(1,), domains=(0, 1)),)),
            "separations[0].others[0]: seen 1",
        ),
        (
            make_problem([ITEM], separations=(Separation(name="s", carriers=(0,), others=(0,), domains=(0,)),)),
            "separations[0].domains: seen 1 domains; allowed is one for each of 2 nodes",
        ),
        (
            make_problem([ITEM], attractions=(Attraction(name="a", carriers=(3,), matching=(), domains=(0, 1)),)),
            "attractions[0].carriers[0]: seen 3",
        ),
        (with_spread(max_skew=0), "spreads[0].max_skew: seen 0; allowed is 1 to 2147483647"),
        (with_spread(max_skew=2**31), "spreads[0].max_skew: seen 2147483648; allowed is 1 to 2147483647"),
        (with_spread(fixed=((-1, 1),)), "spreads[0].fixed[0]: seen [-1, 1]; allowed is a domain of 0 or more and 0 to"),
        (with_spread(fixed=((0, -1),)), "spreads[0].fixed[0]: seen [0, -1]"),
        (with_spread(fixed=((0, 2**31),)), "spreads[0].fixed[0]: seen [0, 2147483648]"),
        (with_spread(counted=(7,)), "spreads[0].counted[0]: seen 7"),
    ],
)
def test_fault_is_told_by_path(problem: Problem, fault: str) -> None:
    (told,) = soundness.faults(problem)

    assert told.startswith(f"problem.{fault}")


def test_all_faults_are_told() -> None:
    assert len(soundness.faults(with_item(tier=5, weight=-1, requests=(1,), node=9))) == 4
