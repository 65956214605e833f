"""The best plan so far, what became of every attempt, and one attempt on a model; decides nothing about order."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from descheduler.optimiser.clock import Clock
from descheduler.optimiser.engine import Effort, Engine, Outcome, Status
from descheduler.optimiser.identities import identify
from descheduler.optimiser.model.draft import Draft, Sum, Values
from descheduler.optimiser.model.frame import Cast
from descheduler.optimiser.scores import Score, ordering, score
from descheduler.optimiser.solution import Options, Point
from descheduler.optimiser.tables import Ints

Limits = Sequence[tuple[Sum, int]]
_LEAST: Final = 0.01  # a solve with less time finds nothing


class Formulation(Protocol):
    """A model that can be aimed at a goal, and says which plan its variables mean."""

    @property
    def draft(self) -> Draft:
        """The proto."""
        ...

    def aim(self, limits: Limits, objective: Sum, where: Ints) -> None:
        """Set upper limits, what is minimised, and the plan to start from."""
        ...

    def plan(self, values: Values) -> Ints:
        """Return the plan that the variables say."""
        ...


class Search:
    """Holds the incumbent; whatever is offered replaces it only where it is better."""

    def __init__(self, cast: Cast, options: Options, clock: Clock, engine: Engine) -> None:
        self.cast, self.options, self.clock = cast, options, clock
        self._engine = engine
        self.key = ordering(options)
        self.where: Ints = cast.tables.origin.copy()
        self.baseline = self.score = score(cast.tables, self.where)
        self.counts: Counter[str] = Counter()
        self.path: list[Point] = []
        self.failures: Path | None = None

    def offer(self, where: Ints) -> bool:
        """Take a plan if it is better than the best so far."""
        settled = identify(self.cast.tables, self.cast.classes, where)
        found = score(self.cast.tables, settled)
        if self.key(found) >= self.key(self.score):
            return False
        self.where, self.score = settled, found
        self.path.append(Point(at=self.clock.wall(), placed=self._placed(found), disruptions=found.disruptions))
        return True

    def attempt(
        self,
        model: Formulation,
        limits: Limits,
        objective: Sum,
        *,
        most: float,
        alone: bool = False,
        first: bool = False,
    ) -> Outcome:
        """Solve a model within limits, starting from the incumbent, and offer what comes out.

        `alone`: with one worker, which takes half of the effort on small models. `first`: any solution will do.
        """
        limit = min(most, self.clock.left())
        if limit < _LEAST:
            # Whoever tries again until the time is used would do so for ever in deterministic mode.
            self.clock.charge(0.0)
            return Outcome(status=Status.UNKNOWN, values=None, bound=float("-inf"), effort=0.0)
        model.aim(limits, objective, self.where)
        outcome = self._engine.solve(
            model.draft.model,
            Effort(
                limit=limit,
                workers=1 if alone else self.options.workers,
                seed=self.options.seed,
                deterministic=self.clock.deterministic,
                first=first,
            ),
            found=lambda values: self._note(model, values),
        )
        self.clock.charge(outcome.effort)
        self.counts[outcome.status.value] += 1
        if outcome.status is Status.MODEL_INVALID:
            self.save(model, "invalid")
        if outcome.values is not None:
            self._note(model, outcome.values)
        return outcome

    def _note(self, model: Formulation, values: Values) -> None:
        self.offer(model.plan(values))

    def save(self, model: Formulation, what: str) -> None:
        """Count a failure that is ours, and save the model for a replay where a folder is given."""
        self.counts[f"failed-{what}"] += 1
        if self.failures is not None:
            name = f"{what}-{len(list(self.failures.glob('*.pb')))}.pb"
            model.draft.model.export_to_file(str(self.failures / name))

    def _placed(self, found: Score) -> tuple[int, ...]:
        return tuple(
            int((self.cast.tables.tier == tier).sum()) - unplaced for tier, unplaced in enumerate(found.unplaced)
        )
