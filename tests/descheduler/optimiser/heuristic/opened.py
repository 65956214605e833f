"""A problem opened as a state with its rules, and back: what every test of the heuristic needs."""

import numpy as np

from descheduler.optimiser.bounds import hopeless
from descheduler.optimiser.classes import classify
from descheduler.optimiser.heuristic.rules import Rules
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Assignment, Options
from descheduler.optimiser.tables import NOWHERE, tabulate
from descheduler.optimiser.ties.opening import open_ties


def opened(problem: Problem, places: Assignment | None = None) -> State:
    """Return the state of a problem, with everybody at home or where a plan has them."""
    tables = tabulate(problem)
    state = State(tables, open_ties(problem, tables), problem.max_disruptions)
    if places is not None:
        state.adopt(np.array([NOWHERE if place is None else place for place in places], dtype=np.int64))
    return state


def rules_of(problem: Problem, state: State, options: Options | None = None, *, seed: int = 1) -> Rules:
    """Return the rules of a search over a problem."""
    return Rules(
        classes=classify(problem, state.tables),
        options=options or Options(price=8),
        hopeless=hopeless(state.tables),
        random=np.random.default_rng(seed),
    )


def places(state: State) -> Assignment:
    """Return where everybody is."""
    return tuple(None if place < 0 else place for place in state.where.tolist())
