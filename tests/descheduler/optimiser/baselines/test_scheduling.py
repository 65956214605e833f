"""The default scheduler places on the least allocated node, one pod at a time, and preempts less important ones."""

from hypothesis import given, settings

from descheduler.optimiser import vectors
from descheduler.optimiser.baselines.scheduling import least_allocated
from descheduler.optimiser.checking import Rule, check
from descheduler.optimiser.problem import Problem, Separation
from descheduler.optimiser.solution import Options
from tests.descheduler.optimiser.builders import make_item, make_problem, make_site
from tests.descheduler.optimiser.strategies import problems


def test_pod_goes_to_the_emptier_node() -> None:
    problem = make_problem([make_item("running", node=0), make_item("pending")])

    assert least_allocated(problem, preempting=False) == (0, 1)


def test_more_important_pods_go_first() -> None:
    large = (800, 800, 1)
    problem = make_problem(
        [make_item("late", requests=large, tier=1), make_item("first", requests=large)], [make_site()]
    )

    assert least_allocated(problem, preempting=False) == (None, 0)


def test_nobody_is_moved_for_a_pod_that_does_not_fit() -> None:
    problem = make_problem([make_item("a", node=0), make_item("b", node=1), make_item("large", requests=(950, 950, 1))])

    assert least_allocated(problem, preempting=True) == (0, 1, None)


def test_less_important_pods_are_preempted_and_placed_again() -> None:
    problem = make_problem(
        [
            make_item("small", node=0, tier=1),
            make_item("other", node=1, requests=(500, 500, 1)),
            make_item("large", requests=(950, 950, 1)),
        ]
    )

    assert least_allocated(problem, preempting=False) == (0, 1, None)
    assert least_allocated(problem, preempting=True) == (1, 1, 0)


def test_as_few_as_possible_are_preempted() -> None:
    half = (400, 400, 1)
    problem = make_problem(
        [
            make_item("a", node=0, tier=1, requests=half),
            make_item("b", node=0, tier=2, requests=half),
            make_item("c", requests=(500, 500, 1)),
        ],
        [make_site()],
    )

    assert least_allocated(problem, preempting=True) == (0, None, 0)


def test_important_pod_takes_no_place_where_preempting_is_not_enough() -> None:
    problem = make_problem(
        [
            make_item("same", node=0, requests=(600, 600, 1)),
            make_item("lower", node=0, tier=1),
            make_item("large", requests=(500, 500, 1)),
        ],
        [make_site()],
    )

    assert least_allocated(problem, preempting=True) == (0, 0, None)


def test_separated_pods_stay_apart() -> None:
    apart = Separation(name="apart", carriers=(0, 1), others=(0, 1), domains=(0, 1))
    problem = make_problem([make_item("a"), make_item("b"), make_item("full", node=1, requests=(800, 1, 1))])

    assert least_allocated(problem, preempting=False)[:2] == (0, 0)
    assert least_allocated(make_problem(problem.items, separations=(apart,)), preempting=False)[:2] == (0, 1)


@settings(max_examples=50)
@given(problems())
def test_without_preemption_nothing_breaks_and_nobody_is_disturbed(problem: Problem) -> None:
    assignment = least_allocated(problem, preempting=False)

    # A victim of a relief is placed like a pending pod, so only a budget may stand against its leaving.
    assert {violation.rule for violation in check(problem, assignment, Options())} <= {Rule.BUDGET}
    assert sum(vectors.tally(problem, assignment).moved + vectors.tally(problem, assignment).evicted) == 0


@settings(max_examples=50)
@given(problems())
def test_preemption_places_the_most_important_pods_first(problem: Problem) -> None:
    calm, preempting = (least_allocated(problem, preempting=each) for each in (False, True))

    assert vectors.tally(problem, preempting).unplaced[0] <= vectors.tally(problem, calm).unplaced[0]
