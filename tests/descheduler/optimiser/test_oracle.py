"""The oracle misses no plan and invents none: it agrees with what is worked out by hand, and with trying plainly."""

from itertools import islice, product

from hypothesis import given, settings

from descheduler.optimiser import vectors
from descheduler.optimiser.checking import check
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options, doing_nothing
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site
from tests.descheduler.optimiser.oracle import allowed_plans, best_plan
from tests.descheduler.optimiser.scattered import scattered, scattered_problems

PAPER = make_problem(
    [
        make_item("pod1", node=0, requests=(600, 100, 1)),
        make_item("pod2", node=1, requests=(400, 100, 1)),
        make_item("pod3", node=1, requests=(400, 100, 1)),
        make_item("pod4", requests=(600, 100, 1)),
    ],
    [make_site("n1"), make_site("n2")],
)


def test_papers_example_moves_one_pod() -> None:
    assert best_plan(PAPER, Options()) in {(0, 0, 1, 1), (0, 1, 0, 1)}


def test_first_plan_is_the_best() -> None:
    plans = list(allowed_plans(scattered(7), Options()))

    assert not any(vectors.better(scattered(7), later, plans[0], Options()) for later in plans[1:])


@settings(max_examples=6)
@given(scattered_problems())
def test_every_allowed_plan_is_found(problem: Problem) -> None:
    found = set(allowed_plans(problem, Options()))

    places = (None, *range(len(problem.sites)))
    tried = product(places, repeat=len(problem.items))
    assert found == {plan for plan in tried if not check(problem, plan, Options())}
    assert doing_nothing(problem) in found


def test_most_problems_can_be_improved() -> None:
    improvable = sum(len(list(islice(allowed_plans(scattered(seed), Options()), 2))) == 2 for seed in range(40))

    assert improvable >= 20
