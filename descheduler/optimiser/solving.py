"""Bayplan's own solver: bounds, a first plan, the whole model where it is small, columns, rework, neighbourhoods.

Source: docs/design/optimiser.md, section 5. It holds a complete plan from the first moment and returns the best one
on any stop; judging that plan independently is the caller's (`checking`).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from descheduler.optimiser import vectors
from descheduler.optimiser.bounds import hopeless, least_unplaced, least_without_eviction
from descheduler.optimiser.classes import classify
from descheduler.optimiser.clock import Clock
from descheduler.optimiser.columns.closing import Closer
from descheduler.optimiser.engine import Engine
from descheduler.optimiser.heuristic.filling import fill, preempt
from descheduler.optimiser.heuristic.returning import go_home
from descheduler.optimiser.heuristic.reworking import rework
from descheduler.optimiser.heuristic.rules import Rules
from descheduler.optimiser.heuristic.state import State
from descheduler.optimiser.ladder import Known, Ladder
from descheduler.optimiser.lns import Neighbourhoods
from descheduler.optimiser.model.assembling import Model
from descheduler.optimiser.model.frame import Cast, whole
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.proving import Prover
from descheduler.optimiser.search import Search
from descheduler.optimiser.solution import Assignment, Options, Proof, Solution, Stop, doing_nothing
from descheduler.optimiser.tables import Ints, tabulate
from descheduler.optimiser.ties.opening import open_ties
from descheduler.optimiser.ties.waiting import circular

WHOLE: Final = 12_000  # variables up to which the whole problem is one model
# Of the time for the whole model, by its variables: small ones are solved to the proof, large ones leave a gap.
_SHARES: Final = ((1_000, 0.95), (4_000, 0.45), (WHOLE, 0.1))
_BEFORE: Final = 0.1  # of the time for reworking where columns come after it
# Of the time that is left: for the bound by columns, and where it leaves out constraints that a plan has to keep.
_GENERATE, _GENERATE_TIED = 0.7, 0.3
_CELLS: Final = 600  # pairs of pod and node for each second that is left, up to which columns are tried
_DONE, _NEVER = 10, 1_000_000  # rounds in a row that disturb no fewer, after which a proof is tried; without a proof
_GROW: Final = 0.8  # of the time after which nothing more is placed, only disturbed less
_REWORK: Final = 0.5  # of the time left for taking parts of a plan back and making them anew
_REWORK_FULL: Final = 0.85  # the same where every tier has what can be had
_TRIAL: Final = 0.002  # what a trial counts in deterministic mode


class BayplanSolver:
    """Implements `Solver` in this process. `failures` is a folder for models that should not have failed."""

    name = "bayplan"

    def __init__(self, failures: Path | None = None) -> None:
        self._failures = failures

    def solve(self, problem: Problem, options: Options, stop: Stop) -> Solution:
        """Return the best plan found within the options, doing nothing at least."""
        if not problem.items or not problem.sites:
            return _nothing(problem, options)
        engine = Engine(stop)
        with engine.watched():
            return _Run(problem, options, stop, engine, self._failures).solve()


class _Run:
    """One solve from the arrays to the answer."""

    def __init__(self, problem: Problem, options: Options, stop: Stop, engine: Engine, failures: Path | None) -> None:
        self._problem, self._options = problem, options
        self._clock = Clock(options, stop, pods=len(problem.items))
        self._tables = tabulate(problem)
        self._cast = Cast(problem, self._tables, classify(problem, self._tables))
        self._search = Search(self._cast, options, self._clock, engine)
        self._search.failures = failures
        self._hopeless = hopeless(self._tables)
        self._rules = Rules(
            classes=self._cast.classes,
            options=options,
            hopeless=self._hopeless,
            random=np.random.default_rng(options.seed),
        )
        self._known = Known(
            least=least_unplaced(self._tables, self._hopeless),
            without_eviction=least_without_eviction(self._tables, self._hopeless),
        )
        # One for the whole run: to open the ties of thousands of constraints takes as long as a stage.
        self._state = State(self._tables, open_ties(problem, self._tables), problem.max_disruptions)
        self._timings: dict[str, float] = {"arrays": self._clock.wall()}
        # Rounded amounts and circles of affinities rule plans out that could be carried out: no proof then.
        self._exact = self._tables.exact and not circular(problem.attractions)
        self._proven = False
        self._exact_model: Model | None = None

    def solve(self) -> Solution:
        self._stage("heuristic", self._incumbent)
        self._proven = self._evident()
        if not self._proven and not self._clock.over():
            self._stage("model", self._model)
        if not self._proven and self._closable():
            self._stage("columns", self._close)
        if not self._proven:
            self._stage("neighbourhoods", self._around)
            self._stage("model", self._prove)
        return self._answer()

    def _stage(self, name: str, work: Callable[[], None]) -> None:
        began = self._clock.wall()
        work()
        self._timings[name] = self._timings.get(name, 0.0) + self._clock.wall() - began

    def _incumbent(self) -> None:
        state = self._state

        def after() -> bool:
            self._search.offer(state.where)
            return not self._clock.over()

        fill(state, self._cast.classes, self._options, hopeless=self._hopeless, after=after)
        self._search.offer(state.where)
        go_home(state, over=self._clock.over)
        self._search.offer(state.where)

    def _evident(self) -> bool:
        """Whether the bounds alone prove the incumbent: nobody is disturbed and no tier could have more."""
        score = self._search.score
        return self._exact and not score.weight and np.cumsum(score.unplaced).tolist() == list(self._known.least)

    def _model(self) -> None:
        """Solve the whole problem as one model, where it is small enough."""
        if not self._small():
            return
        frame = whole(self._cast, self._search.where)
        if frame.variables() > WHOLE:
            return
        model = Model(frame, evict_for_count=self._options.evict_for_count, exact=True)
        self._exact_model = model
        if self._closable():
            return
        share = next(share for most, share in _SHARES if frame.variables() <= most)
        until = self._clock.used() + self._clock.left() * share
        Ladder(self._search, model, self._known).climb(until - self._clock.used())
        self._proven = Prover(self._search, model, self._known).prove(until) and self._exact

    def _closable(self) -> bool:
        """Whether contents of nodes are few enough, and whether nothing but disruptions is left to be decided."""
        options, score = self._options, self._search.score
        cells = len(self._tables.room) * len(self._tables.requests)
        return (
            self._exact_model is not None
            and self._exact_model.draft.size > _SHARES[0][0]
            and self._full()
            and cells <= _CELLS * self._clock.left()
            and options.order == "placement-first"
            and not any(score.evicted)
            and not (options.evict_for_count and any(score.unplaced))
        )

    def _close(self) -> None:
        """Bring the disruptions down to their bound, and the bound up to them."""
        self._rework(_BEFORE)
        closer = Closer(self._search, whole(self._cast, self._search.where))
        tied = self._tied()
        share = _GENERATE_TIED if tied else _GENERATE
        closer.generate(until=self._clock.used() + self._clock.left() * share)
        if not tied:
            closer.choose(until=self._clock.limit)
        self._known.weight, self._known.beside = closer.bound, self._search.score.unplaced
        if closer.proven:
            self._prove()  # else the rest of the time is better spent on fewer disruptions first

    def _tied(self) -> bool:
        """Whether a plan may break what contents of nodes say nothing about."""
        return self._problem.max_disruptions is not None or self._state.tied

    def _prove(self) -> None:
        """Use what time is left for the proof."""
        if self._exact_model is not None and not self._clock.over():
            prover = Prover(self._search, self._exact_model, self._known)
            self._proven = prover.prove(self._clock.limit) and self._exact

    def _small(self) -> bool:
        """Whether it is worth counting the cells: pairs of class and node are many more in a large cluster."""
        tables = self._tables
        wide = tables.masks.sum(axis=1)[tables.mask_of[self._cast.classes.sample]]
        return int(wide.sum()) <= 2 * WHOLE

    def _around(self) -> None:
        self._rework(_REWORK_FULL if self._full() else _REWORK)
        reworked = self._search.score
        around = Neighbourhoods(self._search, hopeless=self._hopeless)
        around.grow(self._clock.limit * _GROW, self._known.targets())
        for stage in (self._preempt, self._return):
            if not self._clock.over():
                stage()
        if self._search.score is not reworked:
            self._rework(_REWORK_FULL if self._full() else _REWORK)
        around.polish(self._clock.limit, failures=_DONE if self._exact_model is not None else _NEVER)

    def _full(self) -> bool:
        """Whether no tier could have more without evictions."""
        return all(now <= goal for now, goal in zip(self._search.score.unplaced, self._known.targets(), strict=True))

    def _rework(self, share: float) -> None:
        """Take parts of the plan back and make them anew, for a share of the time that is left.

        Nobody loses a place by that: where pods are evicted, and one model holds everything, it finds more by itself.
        """
        if self._clock.over() or (self._exact_model is not None and any(self._search.score.evicted)):
            return
        state = self._standing()
        until = self._clock.used() + self._clock.left() * share

        def over() -> bool:
            self._clock.charge(_TRIAL)
            return self._clock.used() >= until or self._clock.over()

        rework(state, self._rules, over=over, better=lambda: self._search.offer(state.where))

    def _standing(self) -> State:
        """Return the best plan so far as a state that can be changed, until this is called again."""
        self._state.adopt(self._search.where)
        return self._state

    def _preempt(self) -> None:
        state = self._standing()
        preempt(state, self._options, hopeless=self._hopeless, over=self._clock.over)
        self._search.offer(state.where)

    def _return(self) -> None:
        """Send home whom a search moved without need."""
        state = self._standing()
        go_home(state, over=self._clock.over)
        self._search.offer(state.where)

    def _answer(self) -> Solution:
        search = self._search
        improved = search.key(search.score) < search.key(search.baseline)
        assignment = _assignment(search.where) if improved else doing_nothing(self._problem)
        return Solution(
            assignment=assignment,
            proof=_proof(improved=improved, proven=self._proven),
            solver=BayplanSolver.name,
            vector=vectors.vector_of(self._problem, assignment, self._options),
            baseline=vectors.vector_of(self._problem, doing_nothing(self._problem), self._options),
            bounds=_by_tier(self._known.least),
            disruptions_bound=self._bound(),
            path=tuple(search.path),
            timings={**self._timings, "all": self._clock.wall()},
            counts=dict(search.counts),
        )

    def _bound(self) -> float | None:
        """Return the bound of disruptions where it is one of the answer: later plans may place or evict others."""
        known, score = self._known, self._search.score
        same = score.unplaced == known.beside and not any(score.evicted)
        return known.weight if same and self._tables.exact else None


def _assignment(where: Ints) -> Assignment:
    return tuple(None if node < 0 else node for node in where.tolist())


def _by_tier(least: tuple[int, ...]) -> tuple[int, ...]:
    """Return the bound of each tier, given that the tiers above it are at theirs."""
    return tuple(here - before for before, here in zip((0, *least), least, strict=False))


def _proof(*, improved: bool, proven: bool) -> Proof:
    if improved:
        return Proof.IMPROVED_PROVEN if proven else Proof.IMPROVED
    return Proof.NOTHING_BETTER if proven else Proof.NOTHING_FOUND


def _nothing(problem: Problem, options: Options) -> Solution:
    """Return doing nothing for a problem without pods or nodes: there is nothing else."""
    assignment = doing_nothing(problem)
    vector = vectors.vector_of(problem, assignment, options)
    return Solution(
        assignment=assignment,
        proof=Proof.NOTHING_BETTER,
        solver=BayplanSolver.name,
        vector=vector,
        baseline=vector,
        bounds=(0,) * problem.tiers,
    )
