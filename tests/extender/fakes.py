"""What answers are made of, by hand: nodes that stand as told, and a judge over them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from extender.holding import Holding
from extender.judging import Judge, State
from extender.ledger import Ledger
from extender.rulings import Ruling, Rulings
from policies.model.buoyancy import Buoyancy
from policies.model.policy import Policy
from policies.placement.preempting import Prey
from policies.placement.ratings import Ratings
from policies.values.standings import NodeStanding
from simulator.clock import ManualClock
from tests.policies.placement.cases import OWN_NAMESPACE, make_ratings


@dataclass(kw_only=True)
class FakeNodes:
    """Nodes that stand as told; `uses` are `R_i` of pods on cpu by UID. Can be told to fail."""

    standings: dict[str, NodeStanding] = field(default_factory=dict)
    uses: Mapping[str, float] = field(default_factory=dict)
    priorities: Mapping[str, int] = field(default_factory=dict)
    failure: Exception | None = None

    @property
    def ratings(self) -> Ratings:
        """Return the ratings, or fail."""
        if self.failure is not None:
            raise self.failure
        return make_ratings(self.standings.values())

    def standing(self, node: str) -> NodeStanding | None:
        """Return what was told of a node."""
        return self.standings.get(node)

    def prey(self, uid: str, _node: str, *, priority: int | None) -> Prey:
        """Return a victim with the use and priority that were told."""
        known = self.priorities.get(uid) if priority is None else priority
        return Prey(uid, known, {"cpu": self.uses[uid]} if uid in self.uses else {})


def make_policy(**buoyancy: Any) -> Policy:
    """Return the shipped policy with fields of its `buoyancy` section changed."""
    return Policy(api_version="bayplan.dev/v1alpha1", kind="Policy", buoyancy=Buoyancy(**buoyancy))


def make_state(
    standings: Iterable[NodeStanding] = (),
    *,
    clock: ManualClock | None = None,
    nodes: FakeNodes | None = None,
    **buoyancy: Any,
) -> State:
    """Return the state that a judge answers from."""
    ruling = Ruling.of(make_policy(**buoyancy), digest="abc", own_namespace=OWN_NAMESPACE)
    fleet = nodes or FakeNodes()
    fleet.standings.update({standing.node: standing for standing in standings})
    return State(rulings=Rulings(ruling), nodes=fleet, ledger=Ledger(), holding=Holding(), clock=clock or ManualClock())


def make_judge(*standings: NodeStanding, **changes: Any) -> Judge:
    """Return a judge over nodes that stand as told."""
    return Judge(make_state(standings, **changes))


def retune(state: State, **buoyancy: Any) -> None:
    """Put another policy in force."""
    current = state.rulings.current
    policy = make_policy(**buoyancy)
    state.rulings.current = replace(current, policy=policy)
