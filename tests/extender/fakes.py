"""What answers are made of, by hand: nodes that stand as told, and a judge over them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from extender.codec import Victims, score_line
from extender.holding import Holding
from extender.judging import Judge, State
from extender.ledger import Ledger
from extender.rulings import Ruling, Rulings
from policies.model.buoyancy import Buoyancy
from policies.model.policy import Policy
from policies.placement.preempting import Option, Sight
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

    @property
    def lines(self) -> dict[str, str]:
        """Return the scores as an answer has them."""
        return {name: score_line(name, score) for name, score in self.ratings.scores.items()}

    def standing(self, node: str) -> NodeStanding | None:
        """Return what was told of a node."""
        return self.standings.get(node)

    def option(self, node: str, victims: Victims) -> Option:
        """Return a candidate with the uses and priorities of its victims that were told."""
        priorities = [victims.priorities.get(uid, self.priorities.get(uid)) for uid in victims.uids]
        relief = {"cpu": sum(self.uses.get(uid, 0.0) for uid in victims.uids)}
        return Option(node, priorities, victims.violations, lambda: Sight(self.standing(node), relief))


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
