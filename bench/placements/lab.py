"""Keeps instances and what solvers made of them, so that each question is asked once in a run; judges nothing.

All limits are those of the machine that the targets come from, times the factor of this one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from bench.placements import cases, running
from bench.placements.places import Missing
from bench.placements.running import Instance, Outcome
from descheduler.optimiser.solution import Options

WITHOUT_LIMIT: Final = frozenset({"nothing", "default", "preempting"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Which solver answers, and what it is allowed. `seconds` are those of the reference machine."""

    solver: str = "bayplan"
    seconds: float = 5.0
    price: int | None = 8
    deterministic: float | None = None

    def __str__(self) -> str:
        if self.solver in WITHOUT_LIMIT:
            return _WORDS[self.solver]
        limit = f"{self.seconds:g} s" if self.deterministic is None else f"{self.deterministic:g} units"
        price = "" if self.solver != "bayplan" else ", no price" if self.price is None else f", price {self.price}"
        return f"{_WORDS[self.solver]} {limit}{price}"


_WORDS: Final = {
    "nothing": "B0",
    "default": "B1",
    "preempting": "B1, preempting",
    "released": "B2",
    "repaired": "B3",
    "bayplan": "Bayplan",
}
# The baselines, each with the time that it is given wherever it stands beside us.
NOTHING: Final = Setup(solver="nothing")
DEFAULT: Final = Setup(solver="default")
PREEMPTING: Final = Setup(solver="preempting")
RELEASED: Final = Setup(solver="released", seconds=10.0)
REPAIRED: Final = Setup(solver="repaired", seconds=10.0)


class Scale(Enum):
    """How many at most: seeds of ours, seeds that Algorithm 8 answers in 10 s each, clusters with constraints."""

    FULL = (5, 5, 500)
    SHORT = (5, 2, 500)
    QUICK = (1, 1, 60)


@dataclass(slots=True)
class Lab:
    """One run. `factor` is how much slower this machine is than the reference, `scale` how many seeds are asked for."""

    factor: float = 1.0
    scale: Scale = Scale.FULL
    outcomes: dict[tuple[str, int, Setup], Outcome] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    _instances: dict[tuple[str, int], Instance] = field(default_factory=dict)

    def seeds(self, wanted: int = 5) -> int:
        """Return of how many seeds ours is measured, at most as many as wanted."""
        return min(wanted, self.scale.value[0])

    def compared(self, wanted: int = 5) -> int:
        """Return with how many of them Algorithm 8 is compared."""
        return min(wanted, self.scale.value[1])

    @property
    def mixed(self) -> int:
        """Return how many clusters with constraints are asked for."""
        return self.scale.value[2]

    def instances(self, name: str, seeds: Iterable[int]) -> Iterator[Instance]:
        """Yield the instances of a name; none where its data is missing, which is noted."""
        for seed in seeds:
            try:
                yield self.instance(name, seed)
            except Missing as missing:
                self.skipped[name] = str(missing)
                return

    def instance(self, name: str, seed: int) -> Instance:
        """Return one instance.

        Raises:
            Missing: its data set is not here.
        """
        if (name, seed) not in self._instances:
            self._instances[name, seed] = Instance(name=name, seed=seed, problem=cases.problem(name, seed))
        return self._instances[name, seed]

    def answer(self, instance: Instance, setup: Setup) -> Outcome:
        """Return what came of an instance under a setup; asked once in a run."""
        key = (instance.name, instance.seed, setup)
        if key not in self.outcomes:
            self.outcomes[key] = running.answer(instance, running.solver(setup.solver), self.options(setup))
        return self.outcomes[key]

    def options(self, setup: Setup) -> Options:
        """Return what a solver is allowed on this machine; Algorithm 8 as released evicts for a count, so it may."""
        return Options(
            time_limit=setup.seconds * self.factor,
            price=setup.price,
            deterministic=setup.deterministic,
            evict_for_count=setup.solver == "released",
        )

    def seconds(self, measured: float) -> float:
        """Return seconds measured here in those of the reference machine."""
        return measured / self.factor
