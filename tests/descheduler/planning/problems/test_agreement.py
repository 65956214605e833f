"""Two judges that share no code, one of numbers and one of pods, agree on a plan on the state that it was made of."""

from collections.abc import Sequence

from hypothesis import event, given
from hypothesis import strategies as st

from descheduler.optimiser.checking import Rule, check
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options
from descheduler.planning.problems.building import Built, build
from descheduler.planning.problems.plans import to_plan
from policies.plans.validating import NO_GAIN, invalid
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from policies.values.refusals import Refusal
from tests.descheduler.planning.problems.paper import TEMPLATE, make_policy, make_situation, solution
from tests.descheduler.planning.problems.test_any_cluster import UNGAINFUL, answers, busy_clusters

OPTIONS = Options(evict_for_count=True)
POLICY = make_policy(max_disruptions=500, evict_for_count=True)


def judged(built: Built, assignment: Assignment) -> Refusal | None:
    """Return what the validation says of an answer as a plan, on the very state that it was made of."""
    plan = to_plan(built, solution(assignment), TEMPLATE)
    assert isinstance(plan, Plan)
    refusal = invalid(plan, built.situation)
    event("no refusal" if refusal is None else refusal.rail)
    return refusal


@given(st.data(), busy_clusters())
def test_what_the_checker_accepts_is_valid(data: st.DataObject, cluster: Cluster) -> None:
    built = build(make_situation(cluster, POLICY))

    refusal = judged(built, data.draw(answers(built.problem)))

    # Answers are drawn that are possible, be they of use or not.
    assert refusal is None or refusal.rail == NO_GAIN


@st.composite
def guesses(draw: st.DrawFn, problem: Problem) -> Assignment:
    """Any answer at all that changes a few places."""
    places: list[int | None] = [item.node for item in problem.items]
    some = st.integers(0, len(places) - 1)
    for at in draw(st.lists(some, max_size=3)) if places else ():
        places[at] = draw(st.sampled_from((None, *range(len(problem.sites)))))
    return tuple(places)


@given(st.data(), busy_clusters())
def test_what_is_valid_is_accepted_by_the_checker(data: st.DataObject, cluster: Cluster) -> None:
    built = build(make_situation(cluster, POLICY))
    assignment = data.draw(guesses(built.problem))

    if judged(built, assignment) is None:
        assert serious(built.problem, assignment) == []


def serious(problem: Problem, assignment: Assignment) -> Sequence[Rule]:
    """Return the rules that the checker finds broken, those of gain left out."""
    return [violation.rule for violation in check(problem, assignment, OPTIONS) if violation.rule not in UNGAINFUL]
