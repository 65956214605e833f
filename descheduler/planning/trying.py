"""What a plan would do, tried on a snapshot, at the policy's price of a move or at several; changes nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from descheduler.optimiser import vectors
from descheduler.optimiser.solution import Proof, Solver, Stop
from descheduler.planning.computing import Computed, Computer, Question
from descheduler.planning.problems.measured import Measured
from policies.model.policy import Policy
from policies.rails.situation import Situation
from policies.values.plans import Plan
from sources.clocks import Clock
from sources.snapshots.snapshot import Snapshot

Price = int | Literal["any"]
PRICES: Final[Sequence[Price]] = (3, 6, 12, "any")
_TEMPLATE: Final = Plan(name="tried", trigger="by hand", observing=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What came of one price: pending pods that got a place, pods moved and evicted, how much is proven, seconds."""

    price: Price
    placed: int = 0
    moved: int = 0
    evicted: int = 0
    proof: Proof = Proof.NOTHING_BETTER
    seconds: float = 0.0

    @property
    def disruptions(self) -> int:
        """How many running pods are disturbed."""
        return self.moved + self.evicted


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What plans are tried with. `solver` is open already, and asked again and again."""

    snapshot: Snapshot
    policy: Policy
    own_namespace: str
    solver: Solver
    clock: Clock
    seed: int = 1

    def attempt(self, stop: Stop, *, price: Price | None = None) -> Computed:
        """Return what the solver finds, at the policy's price or at another one."""
        policy = self.policy if price is None else _at_price(self.policy, price)
        situation = Situation(
            cluster=self.snapshot.cluster,
            policy=policy,
            observing=policy.eviction.mode == "observe",
            records=self.snapshot.records,
            own_namespace=self.own_namespace,
        )
        measured = Measured(standings=self.snapshot.standings, use=self.snapshot.use)
        question = Question(situation=situation, time_limit=policy.plan.time_limit, measured=measured)
        computer = Computer(solver=lambda: self.solver, clock=self.clock, seed=self.seed)
        return computer.compute(question, replace(_TEMPLATE, hold=policy.plan.hold), stop)

    def curve(self, first: Computed, stop: Stop) -> Iterator[Point]:
        """Yield a point for each of the usual prices; `first` is what the policy's own price gave."""
        for price in PRICES:
            if stop.is_set():
                return
            known = price == self.policy.plan.price
            yield point(first if known else self.attempt(stop, price=price), price)


def point(computed: Computed, price: Price) -> Point:
    """Return an attempt as a point of the curve."""
    built, solution = computed.built, computed.solution
    if built is None or solution is None:
        return Point(price=price)
    counted = vectors.tally(built.problem, solution.assignment)
    places = zip(built.problem.items, solution.assignment, strict=True)
    return Point(
        price=price,
        placed=sum(item.node is None and place is not None for item, place in places),
        moved=sum(counted.moved),
        evicted=sum(counted.evicted),
        proof=solution.proof,
        seconds=computed.seconds,
    )


def _at_price(policy: Policy, price: Price) -> Policy:
    return policy.model_copy(update={"plan": policy.plan.model_copy(update={"price": price})})
