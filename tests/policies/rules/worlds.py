"""Worlds for tests of the rules: nodes with series of scores, pods with use, objectives with slack."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from policies.model.buoyancy import Buoyancy
from policies.model.eviction import Eviction
from policies.model.policy import Policy
from policies.model.scope import Selector
from policies.model.signals import ResourceSignal, Signals
from policies.model.slos import Slo
from policies.rules import buoyancy, pod_use, soft_slo
from policies.rules.world import World, observe
from policies.values.candidates import Proposal
from policies.values.clusters import Cluster
from policies.values.nodes import Node
from policies.values.pods import Pod
from policies.values.records import EvictionRecord
from policies.values.signals import Grid, ResourceReadings, SignalHistory
from tests.builders import make_cluster, make_node
from tests.policies.buoyancy.histories import NOW, Series, make_grid, make_history

COLUMNS = 40
OBJECTIVE = 1.0


def steady(value: float, columns: int = COLUMNS) -> list[float]:
    """Return a series that does not change."""
    return [value] * columns


def make_slo(name: str = "p99", **changes: Any) -> Slo:
    """Return a latency objective of 1 s over every pod labelled `app: web`, so that slack is 1 - latency."""
    defaults: dict[str, Any] = {
        "name": name,
        "selector": Selector(match_labels={"app": "web"}),
        "indicator": "q",
        "age": "q",
        "at_most": OBJECTIVE,
    }
    return Slo(**(defaults | changes))


def make_policy(
    *resources: str, signal: Mapping[str, Any] | None = None, slos: Iterable[Slo] = (), **changes: Any
) -> Policy:
    """Return a policy; `signal` changes every resource, fields of the buoyancy and eviction sections go by name."""
    defaults: dict[str, Any] = {
        "node": "q",
        "pod": "q",
        "age": "q",
        "pod_age": "q",
        "additive": True,
        "pod_per": "allocatable" if resources == ("cpu",) else "one",
    }
    signals = {name: ResourceSignal(**(defaults | dict(signal or {}))) for name in resources}
    sections: dict[str, Any] = {"buoyancy": Buoyancy, "eviction": Eviction}
    tuned = {
        name: section(**{key: changes.pop(key) for key in section.model_fields if key in changes})
        for name, section in sections.items()
    }
    others = {"signals": Signals(resources=signals), "slos": tuple(slos)} | changes
    return Policy(api_version="bayplan.dev/v1alpha1", kind="Policy", **tuned, **others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What is given: scores by resource and node, cores (or scores) by resource and pod, slack by SLO and object."""

    policy: Policy = field(default_factory=lambda: make_policy("cpu"))
    scores: Mapping[str, Mapping[str, Series]] = field(default_factory=dict)
    use: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    slack: Mapping[str, Mapping[str, Series]] = field(default_factory=dict)
    pods: Iterable[Pod] = ()
    nodes: Iterable[Node] = ()
    records: Iterable[EvictionRecord] = ()
    verified: bool = True
    columns: int | None = None

    def cluster(self) -> Cluster:
        """Return the cluster: the given nodes, or one node of 4 cores for each that has scores or pods."""
        pods = tuple(self.pods)
        names = {name for rows in self.scores.values() for name in rows} | {pod.node for pod in pods if pod.node}
        nodes = tuple(self.nodes) or tuple(make_node(name) for name in sorted(names))
        return make_cluster(nodes, pods)

    def history(self) -> SignalHistory:
        """Return the history up to now."""
        slos = {
            name: make_grid(
                {key: [None if s is None else OBJECTIVE - s for s in series] for key, series in rows.items()},
                verified=self.verified,
            )
            for name, rows in self.slack.items()
        }
        grids: dict[str, Grid | ResourceReadings] = {
            name: make_grid(rows, verified=self.verified) for name, rows in self.scores.items()
        }
        return make_history(grids, slos=slos, columns=self.columns)

    def world(self, *, pod_grids: Mapping[str, Grid] | None = None) -> World:
        """Return the world with the pod use that the rules asked for."""
        seen = observe(self.cluster(), self.history(), records=self.records, policy=self.policy)
        known = {
            name: make_grid({f"default/{pod}": [value] for pod, value in rows.items()}, verified=self.verified)
            for name, rows in self.use.items()
        }
        wanted = pod_use.wanted(seen)
        return pod_use.with_pod_use(seen, {name: grid for name, grid in (pod_grids or known).items() if name in wanted})

    def proposals(self) -> tuple[Proposal, ...]:
        """Return what both rules propose, soft limit first."""
        world = self.world()
        return soft_slo.propose(world) + buoyancy.propose(world)


def names(proposal: Proposal) -> list[str]:
    """Name the candidates of a proposal in order."""
    return [candidate.pod.name for candidate in proposal.candidates]


def victims(proposals: Iterable[Proposal]) -> list[list[str]]:
    """Name the candidates of every proposal that is not refused."""
    return [names(proposal) for proposal in proposals if proposal.refusal is None]


def rails(proposals: Iterable[Proposal]) -> list[str]:
    """Name the rail of every refused proposal."""
    return [proposal.refusal.rail for proposal in proposals if proposal.refusal is not None]


def make_record(pod: str = "gone", *, node: str = "n1", ago: float = 60.0, **changes: Any) -> EvictionRecord:
    """Return an accepted eviction some seconds ago."""
    defaults: dict[str, Any] = {
        "name": f"uid-{pod}",
        "pod_uid": f"uid-{pod}",
        "pod": pod,
        "namespace": "default",
        "node": node,
        "rule": buoyancy.NAME,
        "reason": "",
        "at": NOW - ago,
        "state": "Accepted",
    }
    return EvictionRecord(**(defaults | changes))
