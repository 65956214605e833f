"""Bayplan's own solver: which stages a solve goes through, and how much of its time each of them may take.

Source: docs/design/optimiser.md, section 5. It has a complete plan from the first moment and returns the best one on
any stop; what it holds meanwhile is a `Run`, and judging its plan independently is the caller's (`checking`).
"""

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Final

from descheduler.optimiser import concluding
from descheduler.optimiser.columns.closing import Closer
from descheduler.optimiser.concluding import Findings
from descheduler.optimiser.engine import Engine
from descheduler.optimiser.heuristic.filling import fill, preempt
from descheduler.optimiser.heuristic.returning import go_home
from descheduler.optimiser.heuristic.reworking import rework
from descheduler.optimiser.ladder import Ladder
from descheduler.optimiser.lns import Neighbourhoods
from descheduler.optimiser.model.assembling import Model
from descheduler.optimiser.model.frame import whole
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.proving import Prover
from descheduler.optimiser.run import Run
from descheduler.optimiser.solution import Options, Solution, Stop, doing_nothing

WHOLE: Final = 12_000  # variables up to which the whole problem is one model
# Of the time for the whole model, by its variables: small ones are solved to the proof, large ones leave a gap.
_SHARES: Final = ((1_000, 0.95), (4_000, 0.45), (WHOLE, 0.1))
_BEFORE: Final = 0.1  # of the time for reworking where columns come after it
# Of the time that is left: for the bound by columns, and where it leaves out constraints that a plan has to keep.
_GENERATE, _GENERATE_TIED = 0.7, 0.3
_CELLS: Final = 600  # pairs of pod and node for each second that is left, up to which columns are tried
_OFFERED: Final = 4  # pods of the first plan between two offers of it: at 1,000 nodes an offer takes a millisecond
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
            findings = Findings(solver=self.name, proven=True)  # there is nothing else
            nothing = concluding.conclude(problem, doing_nothing(problem), options, findings)
            return replace(nothing, bounds=(0,) * problem.tiers)
        engine = Engine(stop)
        with engine.watched():
            run = Run(problem, options, stop, engine, self._failures)
            _Stages(run).go()
            return run.answer(self.name)


class _Stages:
    """Every stage leaves the best plan in the run; which ones come, and for how long, depends on the cluster's size."""

    def __init__(self, run: Run) -> None:
        self._run, self._search, self._clock = run, run.search, run.clock

    def go(self) -> None:
        """Go through all stages until the plan is proven or the time is used."""
        run = self._run
        with run.timed("heuristic"):
            self._incumbent()
        run.proven = run.evident
        if not run.proven and not self._clock.over():
            with run.timed("model"):
                self._model()
        if not run.proven and self._closable():
            with run.timed("columns"):
                self._close()
        if not run.proven:
            with run.timed("neighbourhoods"):
                self._around()
            with run.timed("model"):
                self._prove()

    def _incumbent(self) -> None:
        run, state, asked = self._run, self._run.standing(), itertools.count()

        def after() -> bool:
            if next(asked) % _OFFERED == 0:
                self._search.offer(state.where)
            return not self._clock.over()

        fill(state, run.cast.classes, run.options, hopeless=run.hopeless, after=after)
        self._search.offer(state.where)
        go_home(state, over=self._clock.over)
        self._search.offer(state.where)

    def _model(self) -> None:
        """Solve the whole problem as one model, where it is small enough."""
        run = self._run
        if not self._small():
            return
        frame = whole(run.cast, self._search.where)
        if frame.variables() > WHOLE:
            return
        run.model = Model(frame, evict_for_count=run.options.evict_for_count, exact=True)
        if self._closable():
            return
        share = next(share for most, share in _SHARES if frame.variables() <= most)
        until = self._clock.used() + self._clock.left() * share
        Ladder(self._search, run.model, run.known).climb(until - self._clock.used())
        self._prove(until)

    def _small(self) -> bool:
        """Whether it is worth counting the cells: pairs of class and node are many more in a large cluster."""
        tables = self._run.tables
        wide = tables.masks.sum(axis=1)[tables.mask_of[self._run.cast.classes.sample]]
        return int(wide.sum()) <= 2 * WHOLE

    def _closable(self) -> bool:
        """Whether contents of nodes are few enough, and whether nothing but disruptions is left to be decided."""
        run, options, score = self._run, self._run.options, self._search.score
        cells = len(run.tables.room) * len(run.tables.requests)
        return (
            run.model is not None
            and run.model.draft.size > _SHARES[0][0]
            and run.full
            and cells <= _CELLS * self._clock.left()
            and options.order == "placement-first"
            and not any(score.evicted)
            and not (options.evict_for_count and any(score.unplaced))
        )

    def _close(self) -> None:
        """Bring the disruptions down to their bound, and the bound up to them."""
        run = self._run
        self._rework(_BEFORE)
        closer = Closer(self._search, whole(run.cast, self._search.where))
        share = _GENERATE_TIED if run.tied else _GENERATE
        closer.generate(until=self._clock.used() + self._clock.left() * share)
        if not run.tied:
            closer.choose(until=self._clock.limit)
        run.known.weight, run.known.beside = closer.bound, self._search.score.unplaced
        if closer.proven:
            self._prove()  # else the rest of the time is better spent on fewer disruptions first

    def _prove(self, until: float | None = None) -> None:
        """Use what time there is for the proof."""
        run = self._run
        if run.model is not None:
            prover = Prover(self._search, run.model, run.known)
            run.proven = prover.prove(self._clock.limit if until is None else until) and run.exact

    def _around(self) -> None:
        self._rework(self._share())
        reworked = self._search.score
        around = Neighbourhoods(self._search, hopeless=self._run.hopeless)
        around.grow(self._clock.limit * _GROW, self._run.known.targets())
        for stage in (self._preempt, self._return):
            if not self._clock.over():
                stage()
        if self._search.score is not reworked:
            self._rework(self._share())
        around.polish(self._clock.limit, failures=_DONE if self._run.model is not None else _NEVER)

    def _share(self) -> float:
        return _REWORK_FULL if self._run.full else _REWORK

    def _rework(self, share: float) -> None:
        """Take parts of the plan back and make them anew, for a share of the time that is left.

        Nobody loses a place by that: where pods are evicted, and one model holds everything, it finds more by itself.
        """
        if self._clock.over() or (self._run.model is not None and any(self._search.score.evicted)):
            return
        state = self._run.standing()
        until = self._clock.used() + self._clock.left() * share

        def over() -> bool:
            self._clock.charge(_TRIAL)
            return self._clock.used() >= until or self._clock.over()

        rework(state, self._run.rules, over=over, better=lambda: self._search.offer(state.where))

    def _preempt(self) -> None:
        run, state = self._run, self._run.standing()
        preempt(state, run.options, hopeless=run.hopeless, over=self._clock.over)
        self._search.offer(state.where)

    def _return(self) -> None:
        """Send home whom a search moved without need."""
        state = self._run.standing()
        go_home(state, over=self._clock.over)
        self._search.offer(state.where)
