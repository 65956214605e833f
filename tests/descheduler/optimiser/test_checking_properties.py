"""What holds for the checker on any problem: doing nothing passes, and what passes can be carried out."""

from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from descheduler.optimiser import vectors
from descheduler.optimiser.checking import Rule, check
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options, doing_nothing
from tests.descheduler.optimiser.oracle import allowed_plans
from tests.descheduler.optimiser.replaying import left_pending
from tests.descheduler.optimiser.scattered import scattered_problems
from tests.descheduler.optimiser.strategies import assignments, options, problems


@settings(max_examples=60)
@given(problems(), options(0.1))
def test_doing_nothing_passes(problem: Problem, allowed: Options) -> None:
    assert check(problem, doing_nothing(problem), allowed, steps=()) == ()


@settings(max_examples=40)
@given(scattered_problems(), options(0.1))
def test_what_passes_can_be_carried_out(problem: Problem, allowed: Options) -> None:
    for plan in islice(allowed_plans(problem, allowed), 40):
        assert left_pending(problem, plan) == set()


@settings(max_examples=50)
@given(st.data())
def test_any_answer_is_judged_without_an_error(data: st.DataObject) -> None:
    problem = data.draw(problems())
    answer = data.draw(assignments(problem))
    steps = data.draw(st.none() | st.lists(st.integers(-1, 6)))

    for violation in check(problem, answer, data.draw(options(0.1)), steps=steps):
        assert isinstance(violation.rule, Rule)
        assert "allowed is" in str(violation)


@settings(max_examples=50)
@given(st.data())
def test_what_passes_is_no_worse_than_doing_nothing(data: st.DataObject) -> None:
    problem = data.draw(problems(sites=2, items=3))
    answer = data.draw(assignments(problem))
    allowed = data.draw(options(0.1))

    if not check(problem, answer, allowed):
        assert not vectors.better(problem, doing_nothing(problem), answer, allowed)
        if allowed.evict_for_count and sum(vectors.tally(problem, answer).evicted) == 0:
            assert vectors.usage(problem, answer) >= vectors.usage(problem, doing_nothing(problem))
