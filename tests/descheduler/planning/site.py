"""A cluster with plans in it: in-memory API, controllers, a scheduler that asks fake replicas, descheduler processes.

Time passes only in `Site.wait`, in steps in which every process does what its background threads would do: renew its
lease and its slot, and look at the replicas.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from descheduler.elector import Elector, Terms
from descheduler.eventing import EventWriter
from descheduler.ledger import LedgerKeeper
from descheduler.metrics import Metrics
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options, Proof, Solution, Stop
from descheduler.planning.computing import Computer
from descheduler.planning.desk import Asked, Desk
from descheduler.planning.figures import PlanMetrics
from descheduler.planning.gate import Gate
from descheduler.planning.planner import Planner
from descheduler.planning.replicas import Replicas
from descheduler.planning.results import Result
from descheduler.planning.sights import ListedSight
from descheduler.planning.slot import SlotKeeper
from descheduler.planning.store import PlanStore
from descheduler.planning.tooling import Tools
from descheduler.reporting import Reporter
from policies.model.loading import Loaded
from policies.model.policy import Policy
from policies.values.plans import Plan, PlanSlot
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.controllers.nodes import Kubelets
from simulator.controllers.standard import standard_controllers
from simulator.jsons import Raw
from simulator.rights import Rights
from sources.kube.plans import decode_plan, decode_slot
from tests.descheduler.builders import make_policy
from tests.descheduler.planning.replica import FakeReplica, Scheduler
from tests.descheduler.site import Witness
from tests.manifests import rights
from tests.raw import raw_deployment, raw_node, raw_pod, raw_replica_set, raw_template

OWN = "bayplan-system"
STEP = 0.25


def plan_policy(**plan: Any) -> Policy:
    """Return a policy that carries out plans; floor and age are 0, as in the paper's example, unless given."""
    eviction = {"minReadyReplicas": 0, "minPodAge": "0s"} | plan.pop("eviction", {})
    mode = plan.pop("mode", "enforce")
    return make_policy(eviction={"mode": mode}, plan={"trigger": "periodic", "eviction": eviction} | plan)


@dataclass
class ScriptedSolver:
    """Answers with a script: the node of each pod by name, None for none; everybody else stays."""

    goes: Mapping[str, str | None] = field(default_factory=dict)
    proof: Proof = Proof.IMPROVED_PROVEN
    asked: list[Problem] = field(default_factory=list)
    options: list[Options] = field(default_factory=list)
    meanwhile: Any = None
    name: str = "scripted"

    def solve(self, problem: Problem, options: Options, stop: Stop) -> Solution:
        """Return the script's assignment of those pods that are items."""
        self.asked.append(problem)
        self.options.append(options)
        if self.meanwhile is not None:
            self.meanwhile(stop)
        rows = {site.name: row for row, site in enumerate(problem.sites)}
        assignment = []
        for item in problem.items:
            pod = item.key.removeprefix("uid-")
            stays = None if item.must_leave else item.node
            node = self.goes.get(pod)
            assignment.append(stays if pod not in self.goes else None if node is None else rows[node])
        return Solution(assignment=tuple(assignment), proof=self.proof, solver=self.name, vector={"V[0]": 0, "D": 1})


@dataclass
class Site:
    """The cluster. `replicas` names the extender's replicas that live in it."""

    policy: Policy = field(default_factory=plan_policy)
    replicas: tuple[str, ...] = ("one",)
    start_after: float = 0.5
    policy_hash: str = "abc"
    solver: ScriptedSolver = field(default_factory=ScriptedSolver)
    rights: Rights = field(default_factory=lambda: rights("descheduler"))

    def __post_init__(self) -> None:
        self.clock = ManualClock()
        self.witness = Witness()
        self.scheduler = Scheduler()
        controllers = (*standard_controllers(kubelets=Kubelets(start_after=self.start_after)), self.scheduler)
        self.server = ApiServer(self.clock, controllers=(*controllers, self.witness))
        self.processes: list[Process] = []
        self.extenders = {name: FakeReplica(self.server, name) for name in self.replicas}
        self.scheduler.extenders = self.extenders

    @property
    def loaded(self) -> Loaded:
        """Return the policy in force."""
        return Loaded(policy=self.policy, hash=self.policy_hash)

    def node(self, *names: str, cpu: int = 1000) -> None:
        """Add nodes."""
        self.server.put(*(raw_node(name, cpu=cpu) for name in names))

    def workload(self, name: str, *nodes: str | None, cpu: int = 100, **fields: Any) -> None:
        """Add a Deployment whose pods (`<name>-0` …) stand on these nodes; None is pending."""
        count = len(nodes)
        template: Raw = {"template": raw_template({"app": name}, cpu=cpu)}
        deployment = raw_deployment(name, replicas=count, spec=template)
        owner = raw_replica_set(f"{name}-rs", replicas=count, app=name, owner=deployment, spec=template)
        pods = [raw_pod(f"{name}-{at}", node=node, workload=name, cpu=cpu, **fields) for at, node in enumerate(nodes)]
        self.server.put(deployment, owner, *pods)

    def process(self, name: str = "a") -> "Process":
        """Start a descheduler process and let it ask for the lease."""
        process = Process(self, name)
        self.processes.append(process)
        process.elector.step()
        return process

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        while seconds > 0:
            step = min(STEP, seconds)
            self.clock.advance(step)
            for process in self.processes:
                process.tick()
            seconds -= step

    def plan(self) -> Plan:
        """Return the newest plan."""
        return self.plans()[-1]

    def plans(self) -> list[Plan]:
        """Return every plan, oldest first."""
        return sorted(
            map(decode_plan, self.server.all("placementplans")), key=lambda plan: (plan.started_at, plan.name)
        )

    def slot(self) -> PlanSlot:
        """Return the slot."""
        found = self.server.find("planslots", "active", OWN)
        return PlanSlot() if found is None else decode_slot(found)

    def places(self) -> dict[str, str | None]:
        """Return where pods stand, by workload (or name of a bare pod), `a,b` for several."""
        found: dict[str, list[str]] = {}
        for raw in self.server.all("pods"):
            name = raw["metadata"].get("labels", {}).get("app") or raw["metadata"]["name"]
            found.setdefault(name, []).append(raw["spec"].get("nodeName") or "-")
        return {name: ",".join(sorted(nodes)) for name, nodes in found.items()}

    def evictions(self) -> list[str]:
        """Return the names of the pods for which an eviction call came in."""
        return [call.path.split("/")[-2] for call in self.server.calls.of("create", "pods/eviction")]

    def events(self, reason: str) -> list[str]:
        """Return the messages of the events with this reason."""
        return [raw["message"] for raw in self.server.all("events") if raw["reason"] == reason]

    def records(self) -> dict[str, str]:
        """Return the state of each record by its name."""
        return {raw["metadata"]["name"]: raw["status"]["state"] for raw in self.server.all("evictionrecords")}


class Process:
    """One descheduler process; a restart is another one. A `frozen` one does nothing, as after SIGSTOP."""

    def __init__(self, site: Site, name: str) -> None:
        self.site = site
        self.name = name
        self.frozen = False
        self.stop = Event()
        self.api = api = site.server.connect(name, site.rights)
        self.metrics = Metrics()
        holder = f"{name}-{random.random()}"
        self.elector = Elector(api, Terms(namespace=OWN, holder=holder), clock=site.clock)
        self.slot = SlotKeeper(api, namespace=OWN, holder=holder, clock=site.clock)
        self.replicas = Replicas(api, namespace=OWN, clock=site.clock)
        self.gate = Gate()
        self.desk = Desk()
        self.tools = Tools(
            api=api,
            namespace=OWN,
            sight=ListedSight(api, site.clock),
            store=PlanStore(api, namespace=OWN, clock=site.clock),
            slot=self.slot,
            replicas=self.replicas,
            keeper=LedgerKeeper(api, namespace=OWN, writer=f"{holder}/plan", clock=site.clock),
            events=EventWriter(api, instance=name, clock=site.clock),
            reporter=Reporter(api, namespace=OWN),
            metrics=PlanMetrics(self.metrics.registry),
            gate=self.gate,
            clock=site.clock,
            leads=self.elector.leads,
            stopping=self.stop.is_set,
            policy=lambda: site.loaded,
            pause=self.pause,
        )
        self.planner = Planner(tools=self.tools, computer=Computer(solver=lambda: site.solver, clock=site.clock))
        self._renewed = self._looked = site.clock.monotonic()

    def pause(self, seconds: float) -> bool:
        """Let time pass for everybody."""
        self.site.wait(seconds)
        return self.stop.is_set()

    def tick(self) -> None:
        """Do what the background threads do meanwhile."""
        if self.frozen:
            return
        now = self.site.clock.monotonic()
        if now - self._renewed >= 2.0:
            self._renewed = now
            self.elector.step()
            self.slot.renew()
        if now - self._looked >= 1.0:
            self._looked = now
            self.replicas.look()

    def attempt(self, trigger: str = "periodic", *, relief: Iterable[str] = ()) -> Result:
        """Make one attempt at a plan."""
        asked = Asked(trigger=trigger, relief=frozenset(relief), at=self.site.clock.monotonic())
        return self.planner.attempt(asked, self.site.loaded, self.desk)

    def count(self, name: str, **labels: str) -> float:
        """Return a sample, 0 where there is none."""
        return self.metrics.registry.get_sample_value(f"bayplan_descheduler_{name}", labels) or 0.0


def paper(*, grace: float = 30.0, **changes: Any) -> Site:
    """Return the paper's example: pod4 fits on n2 once pod3 has moved to n1. `grace` (s) is how long pods terminate."""
    site = Site(**changes)
    site.node("n1", "n2")
    for name, node, cpu in (("pod1", "n1", 400), ("pod2", "n2", 300), ("pod3", "n2", 400), ("pod4", None, 700)):
        site.workload(name, node, cpu=cpu, grace_seconds=grace)
    site.solver.goes = {"pod3-0": "n1", "pod4-0": "n2"}
    return site
