"""The fast counts are the slow ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from descheduler.optimiser import vectors
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.scores import ordering, score
from descheduler.optimiser.solution import Options
from descheduler.optimiser.tables import tabulate
from tests.descheduler.optimiser.strategies import assignments, options, problems


@given(st.data(), problems(), options(0.1))
def test_score_is_the_vector(data: st.DataObject, problem: Problem, allowed: Options) -> None:
    drawn = data.draw(assignments(problem))
    # A victim has a place elsewhere or none: `None` is how it stays.
    plan = tuple(
        None if item.must_leave and place == item.node else place
        for item, place in zip(problem.items, drawn, strict=True)
    )
    counted = score(tabulate(problem), np.array([-1 if place is None else place for place in plan], dtype=np.int64))

    assert ordering(allowed)(counted) == tuple(vectors.vector_of(problem, plan, allowed).values())
    assert counted.disruptions == vectors.disruptions(problem, plan)
