"""Hot nodes side by side, one for every rail and one that can be helped, and what the pair does; asserts nothing."""

import time
from dataclasses import dataclass, replace

from controlplane import objects
from controlplane.clusters import ControlPlane
from controlplane.exporter import Exporter
from controlplane.objects import UNREADY
from controlplane.programs.prometheus import Prometheus
from controlplane.waiting import never, wait_until
from launching.services import Service
from tests.e2e.descheduling import CPU
from tests.e2e.homes import FIRST, LATER, Homes, homes
from tests.e2e.loads import Loads

# What protects the pod on the home of this name, and the rail that says so.
PROTECTED = {
    "empty-budget": "pdb",
    "two-budgets": "pdb",
    "single": "ready-floor",
    "job": "job",
    "vetoed": "veto",
    "scratch": "local-storage",
    "rolling": "rollout",
    "stuck": "no-destination",
    "spent": "limits",
}
# Cores by app on the node that floats in the end: the first two have to go, the others may stay.
TAKERS = {"first-taker": 1.6, "second-taker": 1.2, "third-taker": 0.4, "fourth-taker": 0.3}
GOING = ("first-taker", "second-taker")
AFTER = 8.0  # descheduleAfter, seconds
SPIKE = 5.0


@dataclass(frozen=True)
class Minute:
    """What one minute of descheduling left behind.

    `pods` has the pod that stood on the home of each case, `spent` being the one of two that was not evicted; `told`
    the events on each pod, `refused` the metric by rail, `decided` the rail of each pod in the last report. `hot` says
    for how many seconds each node was measured as oversubscribed.
    """

    pods: dict[str, str]
    nodes: dict[str, str]
    evicted: list[str]
    told: dict[str, list[str]]
    refused: dict[str, float]
    decided: dict[str, str]
    log: str
    hot: dict[str, float]
    use: dict[str, float]

    def decisions(self) -> str:
        """Return what the log says of evictions and refusals, to read when a test fails."""
        words = (" evicted from ", " refused by ")
        return "\n".join(line for line in self.log.splitlines() if any(word in line for word in words))


def run(plane: ControlPlane, exporter: Exporter, prometheus: Prometheus) -> Minute:
    """Run it all."""
    with homes(plane, prometheus) as made, plane.admin.clone() as api:
        made.start(_policy(made))
        _move_in(made)
        pods = _at_home(made)
        loads = Loads(api, made.scene.namespace, cores=TAKERS, rest=_rest(made), pressure=_pressure(made))
        began = time.time() + 3
        loads.spikes[made.nodes["brief"]] = (began, began + SPIKE)
        exporter.put("loads", loads.exposition)
        try:
            with made.placing.services.descheduler(_policy(made)) as service:
                wait_until(lambda: not _open(made, pods), "all of it", timeout=120, seen=lambda: _open(made, pods))
                before = made.scene.evicted()
                never(lambda: made.scene.evicted() != before, "another eviction", during=5)
                return _look(made, service, pods)
        finally:
            exporter.remove("loads")


def _policy(made: Homes) -> dict[str, object]:
    return {
        "apiVersion": "bayplan.dev/v1alpha1",
        "kind": "Policy",
        "scope": {"namespaces": {"include": [made.scene.namespace]}},
        "signals": {
            "prometheus": {"url": made.placing.prometheus.url, "timeout": "1s"},
            "step": "1s",
            "staleAfter": "10s",
            "resources": {"cpu": CPU},
        },
        "buoyancy": {"descheduleAfter": f"{AFTER:g}s"},
        "eviction": {
            "mode": "enforce",
            "limits": [
                {"scope": "workload", "max": 1, "window": "10m"},
                {"scope": "cluster", "max": 50, "window": "10m"},
            ],
            "minPodAge": "0s",
            "readyFor": "1s",
        },
    }


def _move_in(made: Homes) -> None:
    """Let everybody move in: one replica to its home, the others to the shared nodes."""
    own = [case for case in PROTECTED if case != "spent"]
    made.found(*own, "spent-1", "spent-2", "float", "calm", "brief")
    for app in ("empty-budget", "two-budgets", "rolling", "calm", "brief"):
        made.settle(app, 3, app, FIRST, LATER)
    made.settle("single", 1, "single", LATER)
    made.settle("scratch", 3, "scratch", FIRST, LATER, volumes=[{"name": "scratch", "emptyDir": {}}])
    made.settle("stuck", 3, "stuck", FIRST)  # all its nodes have a replica already
    made.settle("spent", 4, "spent-1", "spent-2", FIRST, LATER)
    for app in TAKERS:
        made.settle(app, 3, "float", FIRST, LATER)
    vetoed = replace(made.shape("vetoed", "vetoed", FIRST, LATER), annotations={"bayplan.dev/no-evict": "true"})
    made.scene.create(objects.deployment("vetoed", 3, vetoed))
    made.scene.create(objects.job("job", 1, made.shape("job", "job", LATER)))
    made.scene.create(objects.pdb("empty-budget", app="empty-budget", minAvailable=3))
    for name in ("one-budget", "another-budget"):
        made.scene.create(objects.pdb(name, app="two-budgets", minAvailable=1))
    for app in ("single", "job"):
        made.wait_ready(app, 1)
    made.share(FIRST, 2)
    for app in (*TAKERS, "empty-budget", "two-budgets", "rolling", "scratch", "vetoed", "stuck", "calm", "brief"):
        made.wait_ready(app, 3)
    made.wait_ready("spent", 4)
    made.share(LATER, 2)
    template = {"metadata": {"annotations": UNREADY}}
    path = f"/apis/apps/v1/namespaces/{made.scene.namespace}/deployments/rolling"
    made.scene.api.patch(path, {"spec": {"template": template}})  # the new pod never gets Ready


def _at_home(made: Homes) -> dict[str, str]:
    own = {case: made.at_home(case) for case in (*PROTECTED, "calm", "brief") if case != "spent"}
    spent = {home: made.at_home("spent", home) for home in ("spent-1", "spent-2")}
    return own | spent | {app: made.at_home(app, "float") for app in TAKERS}


def _rest(made: Homes) -> dict[str, float]:
    """Return what is taken by nobody in particular: much on the homes, little elsewhere."""
    hot = dict.fromkeys((*PROTECTED, "spent-1", "spent-2"), 0.9)
    known = hot | {"float": 0.5, "calm": 0.3}
    return {node: known.get(home, 0.1) for home, node in made.nodes.items()}


def _pressure(made: Homes) -> dict[str, float]:
    """Return the PSI: tasks wait on every home, on the calm one more than anywhere, though it is not used much."""
    return {
        node: 0.8 if home == "calm" else 0.5 for home, node in made.nodes.items() if not home.startswith((FIRST, LATER))
    }


def _told(made: Homes) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for event in made.scene.events("EvictionRefused"):
        told.setdefault(event["involvedObject"]["name"], []).append(event["message"])
    return told


def _cases(made: Homes, pods: dict[str, str]) -> dict[str, str]:
    """Return the pods by case: of the two that share a budget it is about the one that was left."""
    evicted = made.scene.evicted()
    left = [pods[home] for home in ("spent-1", "spent-2") if pods[home] not in evicted]
    return {**pods, "spent": left[0]} if left else pods


def _open(made: Homes, pods: dict[str, str]) -> list[str]:
    """Name what has not happened yet."""
    told, cases, evicted = _told(made), _cases(made, pods), made.scene.evicted()
    unsaid = [
        case
        for case, rail in PROTECTED.items()
        if not any(message.startswith(f"not evicted ({rail}): ") for message in told.get(cases.get(case, ""), ()))
    ]
    stay = [app for app in GOING if pods[app] not in evicted]
    landings = [record["status"].get("landing") for record in made.placing.services.records()]
    return unsaid + stay + [f"landing {landing}" for landing in landings if landing == "Pending"]


def _look(made: Homes, service: Service, pods: dict[str, str]) -> Minute:
    samples = service.samples("bayplan_descheduler_refusals_total")
    decisions = made.placing.services.report()["lastRun"]["decisions"]
    u, hot = f"({CPU['node']})", f"(({CPU['node']}) >= 0.7) + ({CPU['pressure']}) > 1"
    return Minute(
        pods=_cases(made, pods),
        nodes=made.nodes,
        evicted=made.scene.evicted(),
        told=_told(made),
        refused={labels["rail"]: value for labels, value in samples if labels["rule"] == "buoyancy"},
        decided={line["pod"].split("/")[1]: line["rail"] for line in decisions if "pod" in line and "rail" in line},
        log=service.program.tail(100_000),
        hot=_by_node(made, f"count_over_time(({hot})[3m:1s])"),
        use=_by_node(made, u),
    )


def _by_node(made: Homes, query: str) -> dict[str, float]:
    return {labels["instance"].split(":")[0]: value for labels, value in made.placing.prometheus.query(query)}
