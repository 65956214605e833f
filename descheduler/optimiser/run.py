"""What one solve holds: the problem as arrays, its bounds, the best plan so far; chooses no stage and searches nothing.

Source: docs/design/optimiser.md, section 5.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from descheduler.optimiser import concluding
from descheduler.optimiser.bounds import hopeless, least_unplaced, least_without_eviction
from descheduler.optimiser.classes import classify
from descheduler.optimiser.clock import Clock
from descheduler.optimiser.concluding import Findings
from descheduler.optimiser.engine import Engine
from descheduler.optimiser.heuristic.rules import Rules
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.ladder import Known
from descheduler.optimiser.model.assembling import Model
from descheduler.optimiser.model.frame import Cast
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.search import Search
from descheduler.optimiser.solution import Assignment, Options, Solution, Stop
from descheduler.optimiser.tables import Ints, tabulate
from descheduler.optimiser.ties.opening import open_ties
from descheduler.optimiser.ties.waiting import circular


class Run:
    """One solve from the arrays to the answer. `model` is the whole problem as one, where it is small enough.

    `proven` is whether no plan is better than the best so far; only where `exact` may anything be claimed.
    """

    def __init__(self, problem: Problem, options: Options, stop: Stop, engine: Engine, failures: Path | None) -> None:
        self.problem, self.options = problem, options
        self.clock = Clock(options, stop, pods=len(problem.items))
        self.tables = tabulate(problem)
        self.cast = Cast(problem, self.tables, classify(problem, self.tables))
        self.search = Search(self.cast, options, self.clock, engine)
        self.search.failures = failures
        self.hopeless = hopeless(self.tables)
        self.rules = Rules(
            classes=self.cast.classes,
            options=options,
            hopeless=self.hopeless,
            random=np.random.default_rng(options.seed),
        )
        self.known = Known(
            least=least_unplaced(self.tables, self.hopeless),
            without_eviction=least_without_eviction(self.tables, self.hopeless),
        )
        # One for the whole run: to open the ties of thousands of constraints takes as long as a stage.
        self._state = State(self.tables, open_ties(problem, self.tables), problem.max_disruptions)
        # Rounded amounts and circles of affinities rule plans out that could be carried out: no proof then.
        self.exact = self.tables.exact and not circular(problem.attractions)
        self.proven = False
        self.model: Model | None = None
        self._timings = {"arrays": self.clock.wall()}

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Note how long a stage takes."""
        began = self.clock.wall()
        yield
        self._timings[stage] = self._timings.get(stage, 0.0) + self.clock.wall() - began

    def standing(self) -> State:
        """Return the best plan so far as a state that can be changed, until this is called again."""
        self._state.adopt(self.search.where)
        return self._state

    @property
    def full(self) -> bool:
        """Whether no tier could have more without evictions."""
        return all(now <= goal for now, goal in zip(self.search.score.unplaced, self.known.targets(), strict=True))

    @property
    def evident(self) -> bool:
        """Whether the bounds alone prove the best plan so far: nobody is disturbed and no tier could have more."""
        score = self.search.score
        return self.exact and not score.weight and np.cumsum(score.unplaced).tolist() == list(self.known.least)

    @property
    def tied(self) -> bool:
        """Whether a plan may break what contents of nodes say nothing about."""
        return self.problem.max_disruptions is not None or self._state.tied

    def answer(self, solver: str) -> Solution:
        """Return the best plan so far, with what is known of it."""
        search = self.search
        found = concluding.conclude(
            self.problem,
            _assignment(search.where),
            self.options,
            Findings(solver=solver, proven=self.proven, path=tuple(search.path), counts=dict(search.counts)),
        )
        return replace(
            found,
            bounds=_by_tier(self.known.least),
            disruptions_bound=self._disruptions_bound(),
            timings={**self._timings, "all": self.clock.wall()},
        )

    def _disruptions_bound(self) -> float | None:
        """Return the bound of disruptions where it is one of the answer: later plans may place or evict others."""
        known, score = self.known, self.search.score
        same = score.unplaced == known.beside and not any(score.evicted)
        return known.weight if same and self.tables.exact else None


def _assignment(where: Ints) -> Assignment:
    return tuple(None if node < 0 else node for node in where.tolist())


def _by_tier(least: tuple[int, ...]) -> tuple[int, ...]:
    """Return the bound of each tier, given that the tiers above it are at theirs."""
    return tuple(here - before for before, here in zip((0, *least), least, strict=False))
