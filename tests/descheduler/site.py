"""A whole cluster with descheduler processes in it: in-memory API, controllers, scripted signals, simulated time."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from descheduler.cycle import Cycle
from descheduler.decisions import CycleResult
from descheduler.elector import Elector, Terms
from descheduler.eventing import EventWriter
from descheduler.ledger import LedgerKeeper
from descheduler.metrics import Metrics
from descheduler.planning.desk import Desk
from descheduler.planning.gate import Gate
from descheduler.reporting import Reporter
from descheduler.snapshots import ListedClusters
from descheduler.tooling import Clusters, Tools
from policies.model.loading import Loaded
from policies.model.policy import Policy
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.controllers.nodes import Kubelets
from simulator.controllers.standard import standard_controllers
from simulator.jsons import Raw, merged
from simulator.store import Change
from simulator.writing import Writer
from sources.signals.reader import Inventory, SignalReader
from tests.descheduler.builders import make_policy
from tests.descheduler.scripted import ScriptedSignals, demand
from tests.manifests import rights
from tests.raw import raw_node, raw_workload

OWN = "bayplan-system"
CPU = {
    "node": "node_cpu",
    "age": "node_age",
    "pod": "pod_cpu",
    "podAge": "pod_age",
    "podPer": "allocatable",
    "additive": True,
}
WIDE = [{"scope": "cluster", "max": 100, "window": "1h"}]


def policy(**eviction: Any) -> Policy:
    """Return a policy that enforces, with limits and cool-downs too wide to decide unless given."""
    chosen = {"mode": "enforce", "limits": WIDE, "coolDown": {"initial": "1s", "max": "1s"}} | eviction
    return make_policy(
        signals={"resources": {"cpu": CPU}},
        slos=[{"name": "p99", "selector": {}, "indicator": "p99", "age": "p99_age", "atMost": 0.2, "window": "60s"}],
        eviction=chosen,
    )


class Witness:
    """Sees which pods the Eviction API really took, and when, by UID: a lost answer hides nothing from it."""

    def __init__(self) -> None:
        self.evicted: dict[str, float] = {}

    def react(self, change: Change, writer: Writer) -> None:
        """Note a pod that has just been condemned."""
        conditions = change.now.get("status", {}).get("conditions") or ()
        if any(condition["type"] == "DisruptionTarget" for condition in conditions):
            self.evicted.setdefault(change.now["metadata"]["uid"], writer.clock.now())


@dataclass
class Site:
    """The cluster: nodes n1 to n3 and `rest`, workloads as they are added, and what the signals say of them.

    With `demands` (cores by app) the signals follow the pods from node to node; `others` is load that never moves.
    """

    policy: Policy = field(default_factory=policy)
    demands: dict[str, float] = field(default_factory=dict)
    others: dict[str, float] = field(default_factory=dict)
    signals: ScriptedSignals = field(default_factory=ScriptedSignals)
    place: Callable[[Raw], str | None] = lambda _: "n2"
    start_after: float = 2.0
    policy_hash: str = "abc"

    def __post_init__(self) -> None:
        self.clock = ManualClock()
        kubelets = Kubelets(start_after=self.start_after)
        controllers = standard_controllers(self._place, kubelets=kubelets)
        self.witness = Witness()
        self.server = ApiServer(self.clock, controllers=(*controllers, self.witness))
        taint = [{"key": "case/rest", "effect": "NoSchedule"}]
        self.server.put(*(raw_node(name) for name in ("n1", "n2", "n3")))
        self.server.put(raw_node("rest", patch={"spec": {"taints": taint}}))

    def _place(self, pod: Raw) -> str | None:
        """Ask the scheduler of the moment, which a test may exchange."""
        return self.place(pod)

    @property
    def loaded(self) -> Loaded:
        """Return the policy in force; a test that exchanges it in the middle of a cycle gives it another hash."""
        return Loaded(policy=self.policy, hash=self.policy_hash)

    def add(self, name: str, *nodes: str, **fields: Any) -> None:
        """Add a Deployment with a pod `<name>-<i>` on each of these nodes."""
        self.server.put(*raw_workload(name, nodes=nodes, **fields))

    def measured(self) -> ScriptedSignals:
        """Return the signals of this moment."""
        if self.demands:
            running = [raw for raw in self.server.all("pods") if raw["status"]["phase"] == "Running"]
            pods = [
                (f"default/{meta['name']}", raw["spec"]["nodeName"], self.demands[meta["labels"]["app"]])
                for raw in running
                for meta in (raw["metadata"],)
            ]
            still = [(f"{node}/others", node, self.others.get(node, 0.5)) for node in ("n1", "n2", "n3", "rest")]
            self.signals = demand([*pods, *still])
        return self.signals

    def process(self, name: str = "a", **changes: Any) -> "Process":
        """Start a descheduler process and let it ask for the lease."""
        return Process(self, name, **changes)

    def edit(self, plural: str, name: str, patch: Raw) -> None:
        """Change an object as it stands, status included."""
        seen = self.server.find(plural, name)
        assert seen is not None
        self.server.put(merged(seen, patch))

    def evictions(self) -> list[str]:
        """Return the names of the pods for which an eviction call came in."""
        return [call.path.split("/")[-2] for call in self.server.calls.of("create", "pods/eviction")]

    def records(self) -> dict[str, Raw]:
        """Return the status of every record by the name of its pod."""
        found = sorted(self.server.all("evictionrecords"), key=lambda raw: str(raw["metadata"]["creationTimestamp"]))
        return {raw["spec"]["pod"]["name"]: raw["status"] for raw in found}

    def events(self, reason: str) -> list[tuple[str, str]]:
        """Return `Kind/name` and message of the events with this reason."""
        return [
            (f"{raw['involvedObject']['kind']}/{raw['involvedObject']['name']}", raw["message"])
            for raw in self.server.all("events")
            if raw["reason"] == reason
        ]


@dataclass
class Process:
    """One process; a restart is another one."""

    site: Site
    name: str
    stopped: bool = False
    clusters: Clusters | None = None

    def __post_init__(self) -> None:
        site = self.site
        api = site.server.connect(self.name, rights("descheduler"))
        self.metrics = Metrics()
        self.gate, self.desk = Gate(), Desk()
        self.elector = Elector(api, Terms(namespace=OWN, holder=self.name), clock=site.clock)
        self.keeper = LedgerKeeper(api, namespace=OWN, writer=f"{self.name}-{random.random()}", clock=site.clock)
        self.cycle = Cycle(
            Tools(
                api=api,
                clusters=self.clusters or ListedClusters(api, site.clock),
                signals=self._signals,
                keeper=self.keeper,
                reporter=Reporter(api, namespace=OWN),
                events=EventWriter(api, instance=self.name, clock=site.clock),
                metrics=self.metrics,
                clock=site.clock,
                leads=self.elector.leads,
                stopping=lambda: self.stopped,
                policy=lambda: site.loaded,
                pause=self.pause,
                own_namespace=OWN,
                gate=self.gate,
                ask=self.desk.ask,
                tell_plans=self.desk.tell,
            )
        )
        self.elector.step()

    def _signals(self, _loaded: Loaded, _inventory: Inventory) -> SignalReader:
        return self.site.measured()

    def pause(self, seconds: float) -> bool:
        """Let time pass while the elector's thread renews."""
        while seconds > 0:
            self.site.clock.advance(min(2.0, seconds))
            self.elector.step()
            seconds -= 2.0
        return self.stopped

    def run(self, *, after: float = 0.0) -> CycleResult:
        """Run one cycle, some seconds later."""
        self.pause(after)
        self.elector.step()
        return self.cycle.run(self.site.loaded)

    def count(self, name: str, **labels: str) -> float:
        """Return a sample, 0 where there is none."""
        return self.metrics.registry.get_sample_value(f"bayplan_descheduler_{name}", labels) or 0.0
