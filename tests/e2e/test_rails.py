"""Who goes from a hot node and who does not: a node each for every rail, side by side in one run of the pair.

One descheduler, one extender and one Prometheus look at all of them for a minute; the tests then read what was said.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest

from controlplane import objects
from controlplane.clusters import ControlPlane
from controlplane.exporter import Exporter
from controlplane.objects import UNREADY
from controlplane.programs.prometheus import Prometheus
from controlplane.waiting import never, wait_until
from tests.e2e.descheduling import CPU
from tests.e2e.homes import FIRST, LATER, Homes, homes
from tests.e2e.loads import Loads
from tests.e2e.services import Service

pytestmark = pytest.mark.timeout(300)

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


@pytest.fixture(scope="module")
def minute(plane: ControlPlane, exporter: Exporter, prometheus: Prometheus) -> Iterator[Minute]:
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
                before = _evicted(made)
                never(lambda: _evicted(made) != before, "another eviction", during=5)
                yield _look(made, service, pods)
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


def _evicted(made: Homes) -> list[str]:
    return [request.name for request in made.scene.evictions() if request.code == 201]


def _told(made: Homes) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for event in made.scene.events("EvictionRefused"):
        told.setdefault(event["involvedObject"]["name"], []).append(event["message"])
    return told


def _cases(made: Homes, pods: dict[str, str]) -> dict[str, str]:
    """Return the pods by case: of the two that share a budget it is about the one that was left."""
    evicted = _evicted(made)
    left = [pods[home] for home in ("spent-1", "spent-2") if pods[home] not in evicted]
    return {**pods, "spent": left[0]} if left else pods


def _open(made: Homes, pods: dict[str, str]) -> list[str]:
    """Name what has not happened yet."""
    told, cases, evicted = _told(made), _cases(made, pods), _evicted(made)
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
        evicted=_evicted(made),
        told=_told(made),
        refused={labels["rail"]: value for labels, value in samples if labels["rule"] == "buoyancy"},
        decided={line["pod"].split("/")[1]: line["rail"] for line in decisions if "pod" in line and "rail" in line},
        log=service.program.tail(100_000),
        hot=_by_node(made, f"count_over_time(({hot})[3m:1s])"),
        use=_by_node(made, u),
    )


def _by_node(made: Homes, query: str) -> dict[str, float]:
    return {labels["instance"].split(":")[0]: value for labels, value in made.placing.prometheus.query(query)}


@pytest.mark.parametrize(("case", "rail"), PROTECTED.items())
def test_a_protected_pod_stays_and_the_refusal_names_its_rail_everywhere(minute: Minute, case: str, rail: str) -> None:
    pod = minute.pods[case]

    assert pod not in minute.evicted
    assert f"/{pod} refused by {rail}: " in minute.log
    assert [message for message in minute.told[pod] if message.startswith(f"not evicted ({rail}): ")]
    assert minute.refused[rail] >= 1
    assert minute.decided[pod] == rail


def test_only_those_go_whom_nothing_protects(minute: Minute) -> None:
    spent = {minute.pods["spent-1"], minute.pods["spent-2"]} - {minute.pods["spent"]}

    assert sorted(minute.evicted) == sorted({*spent, *(minute.pods[app] for app in GOING)}), minute.decisions()


def test_the_biggest_takers_go_one_a_cycle_until_the_node_floats(minute: Minute) -> None:
    takers = [minute.pods[app] for app in TAKERS]
    node = minute.nodes["float"]

    assert [pod for pod in minute.evicted if pod in takers] == [minute.pods[app] for app in GOING], minute.decisions()
    cycles = [cycle.count(f" evicted from {node} to ") for cycle in minute.log.split(" cycle: ")]
    assert sorted(cycles, reverse=True)[:3] == [1, 1, 0]
    assert minute.use[node] < 0.7


def test_a_node_that_is_hot_for_a_moment_loses_nobody(
    minute: Minute, record_property: Callable[[str, object], None]
) -> None:
    pod, node = minute.pods["brief"], minute.nodes["brief"]

    record_property("seconds oversubscribed", minute.hot[node])
    assert 0 < minute.hot[node] < AFTER
    assert f"/{pod} refused" not in minute.log
    assert pod not in {*minute.told, *minute.evicted}


def test_a_node_with_pressure_but_low_use_is_left_alone(minute: Minute) -> None:
    pod, node = minute.pods["calm"], minute.nodes["calm"]

    assert node not in minute.hot
    assert minute.use[node] == pytest.approx(0.3, abs=0.1)
    assert f"/{pod} refused" not in minute.log
    assert pod not in {*minute.told, *minute.evicted}
