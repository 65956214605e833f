"""Workloads that suffer side by side, each on a node of its own, and what the pair makes of it; asserts nothing.

One run takes three minutes, as the samples are real and 15 s apart: a hard limit first, while the soft one gathers its
samples of peace, then the soft limit, at the end the paper's rules.
"""

import time
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

from controlplane import objects
from controlplane.api import Api
from controlplane.clusters import ControlPlane
from controlplane.exporter import Exporter
from controlplane.objects import Object, PodShape
from controlplane.programs.prometheus import Prometheus
from controlplane.waiting import wait_until
from launching.services import Service
from tests.e2e.descheduling import CPU
from tests.e2e.homes import FIRST, LATER, Homes, homes
from tests.e2e.loads import Loads, running
from tests.e2e.scenes import node_of
from tests.e2e.services import Extender, preset

OBJECTIVE = 0.2  # seconds
STEP, WINDOW, CONSECUTIVE, SPELL = 15.0, 60.0, 3, 20.0
FOREVER = float("inf")
# One replica of each suffers on its home: the first four on busy nodes, the fifth on an idle one.
SUFFERERS = ("bearing", "blowing", "lasting", "sudden", "idle")
# Every replica of this one suffers, wherever it is.
RELEASE = "release"
NOT_PLACEMENT = "not-a-placement-problem"


@dataclass
class Latencies:
    """The indicator that pods expose: their slack is 0.3, but for spells by app and node (any node where it is "")."""

    api: Api
    namespace: str
    spells: dict[tuple[str, str], tuple[float, float, float]] = field(default_factory=dict)

    def exposition(self, moment: float) -> str:
        """Return the series of a scrape."""
        lines = ["# TYPE app_latency_seconds gauge"]
        for pod in running(self.api, self.namespace):
            name, app = pod["metadata"]["name"], pod["metadata"]["labels"]["app"]
            latency = OBJECTIVE * (1 - self._slack(app, node_of(pod), moment))
            lines.append(f'app_latency_seconds{{namespace="{self.namespace}",pod="{name}"}} {latency!r}')
        return "\n".join(lines)

    def _slack(self, app: str, node: str, moment: float) -> float:
        spells = (self.spells.get(key) for key in ((app, node), (app, "")))
        slacks = [slack for began, ended, slack in filter(None, spells) if began <= moment < ended]
        return min(slacks, default=0.3)


@dataclass(frozen=True)
class Snapshot:
    """What was done and said up to one moment. `explained` has what the extender says of the nodes, by app."""

    evicted: list[str]
    records: dict[str, Object]
    events: list[Object]
    report: Object
    log: str
    refused: float
    explained: dict[str, dict[str, Any]]
    pods: list[Object]

    def told(self, reason: str, app: str) -> list[str]:
        """Return the messages of events with a reason on a workload."""
        involved = [(event["involvedObject"], event) for event in self.events if event["reason"] == reason]
        return [event["message"] for who, event in involved if (who["kind"], who["name"]) == ("Deployment", app)]


@dataclass(frozen=True)
class Course:
    """The whole course. `homes` has the pod that suffered on each home, `nodes` the nodes.

    `missed` says for how many seconds each pod was measured as missing its objective. `hard` is whom the single runs
    under the hard limit evicted, before and after the breach was there; `soft` how things stood when the soft limit was
    done, `paper` later, under the paper's rules.
    """

    homes: dict[str, str]
    nodes: dict[str, str]
    began: float
    missed: dict[str, float]
    hard: tuple[list[str], list[str]]
    soft: Snapshot
    paper: Snapshot


def run(plane: ControlPlane, exporter: Exporter, prometheus: Prometheus) -> Course:
    """Run it all."""
    with homes(plane, prometheus) as made, plane.admin.clone() as api:
        extender = made.start(_soft(made))
        _move_in(made)
        latencies = Latencies(api, made.scene.namespace)
        rest = {node: 0.8 if home in SUFFERERS[:4] else 0.1 for home, node in made.nodes.items()}
        loads = Loads(api, made.scene.namespace, rest=rest)
        latencies.spells[RELEASE, ""] = (0.0, FOREVER, -0.2)
        latencies.spells["idle", made.nodes["idle"]] = (0.0, FOREVER, -0.2)
        for name, source in (("loads", loads), ("latencies", latencies)):
            exporter.put(name, source.exposition)
        try:
            return _run(made, extender, latencies)
        finally:
            for name in ("loads", "latencies"):
                exporter.remove(name)


def _run(made: Homes, extender: Extender, latencies: Latencies) -> Course:
    well = time.time()
    pods = {app: made.at_home(app) for app in SUFFERERS}
    hard = _hard(made, latencies)
    # w samples of peace come first; meanwhile the hard limit had its turn.
    time.sleep(max(0.0, well + WINDOW - time.time()))
    began = time.time()
    for app, until, slack in (("bearing", SPELL, -0.2), ("blowing", SPELL, -3.0), ("lasting", FOREVER, -0.2)):
        latencies.spells[app, made.nodes[app]] = (began, began + until, slack)
    with made.placing.services.descheduler(_soft(made), interval="5s") as service:
        look = partial(_snapshot, made, service, extender)
        for app in ("blowing", "lasting"):
            _wait_moved(made, service, pods[app])
        # until no window holds the small breach any more
        time.sleep(max(0.0, began + SPELL + WINDOW + STEP - time.time()))
        soft, missed = look(), _missed(made)
        service.use(_paper(made))
        wait_until(lambda: _apps(made) >= {RELEASE, "idle"}, "the paper's rule", timeout=60, seen=service.program.tail)
        return Course(homes=pods, nodes=made.nodes, began=began, missed=missed, hard=hard, soft=soft, paper=look())


def _hard(made: Homes, latencies: Latencies) -> tuple[list[str], list[str]]:
    """Run single cycles under a hard limit before and after a breach is measured; return whom each evicted."""
    prometheus, pod = made.placing.prometheus, made.at_home("sudden")
    shown = f'app_latency_seconds{{namespace="{made.scene.namespace}",pod="{pod}"}}'
    policy = _policy(made, slos=[_slo("hard", app="sudden", window="0s")], eviction={"consecutive": 1})
    wait_until(lambda: prometheus.value(shown) == OBJECTIVE * 0.7, "the sample before the breach")
    wait_until(lambda: (prometheus.value(f"count({CPU['pod']})") or 0) > 0, "the first rates")
    before = made.placing.services.once(policy)
    latencies.spells["sudden", made.nodes["sudden"]] = (0.0, FOREVER, -0.2)
    wait_until(lambda: prometheus.value(shown) == OBJECTIVE * 1.2, "the breach to be measured")
    after = made.placing.services.once(policy)
    first, second = (
        [_name(line) for line in run["decisions"] if line["decision"] == "evicted"] for run in (before, after)
    )
    return first, second


def _move_in(made: Homes) -> None:
    """Let everybody move in: one replica to its home, the others to shared nodes; one node stays free of them."""
    made.found(*SUFFERERS)
    for app in SUFFERERS:
        # gone at once, as a pod that is still there would keep its replacement away by anti-affinity
        made.settle(app, 3, app, FIRST, LATER, terminationGracePeriodSeconds=0)
    made.share(FIRST, 2)
    for app in SUFFERERS:
        made.wait_ready(app, 3)
    made.share(LATER, 1)
    # It suffers on the free node and spoils its score: by score alone a replacement would go back to where it was.
    made.scene.create(objects.deployment(RELEASE, 3, made.scene.here(_on(made.nodes[f"{LATER}-1"], made))))
    made.wait_ready(RELEASE, 3)


def _on(node: str, made: Homes) -> PodShape:
    return replace(made.placing.shape(), node_selector={"kubernetes.io/hostname": node})


def _slo(name: str, *, app: str = "", window: str = f"{WINDOW:g}s") -> dict[str, Any]:
    return {
        "name": name,
        "selector": {"matchLabels": {"app": app}} if app else {},
        "indicator": "app_latency_seconds",
        "age": "time() - timestamp(app_latency_seconds)",
        "atMost": f"{OBJECTIVE * 1000:g}ms",
        "window": window,
    }


def _policy(made: Homes, *, slos: list[dict[str, Any]], eviction: dict[str, Any]) -> dict[str, Any]:
    """Return a policy that enforces, with limits too wide to decide anything."""
    wide = {"limits": [{"scope": "cluster", "max": 50, "window": "10m"}], "coolDown": {"initial": "1s", "max": "1s"}}
    return {
        "apiVersion": "bayplan.dev/v1alpha1",
        "kind": "Policy",
        "scope": {"namespaces": {"include": [made.scene.namespace]}},
        "signals": {
            "prometheus": {"url": made.placing.prometheus.url, "timeout": "5s"},
            "step": f"{STEP:g}s",
            "staleAfter": "60s",
            "resources": {"cpu": CPU},
        },
        "slos": slos,
        "eviction": {"mode": "enforce", "minPodAge": "0s", "readyFor": "2s", **wide, **eviction},
    }


def _soft(made: Homes) -> dict[str, Any]:
    return _policy(made, slos=[_slo("latency")], eviction={"consecutive": CONSECUTIVE})


def _paper(made: Homes) -> str:
    """Return the shipped preset with what an operator fills in."""
    return preset(
        "paper",
        scope={"namespaces": {"include": [made.scene.namespace], "exclude": []}},
        signals={"prometheus": {"url": made.placing.prometheus.url}},
        slos=[_slo("latency")],
        eviction={"mode": "enforce"},
    )


def _missed(made: Homes) -> dict[str, float]:
    """Return for how many seconds each pod's indicator was measured above its objective, by the pod's name."""
    series = f'app_latency_seconds{{namespace="{made.scene.namespace}"}}'
    found = made.placing.prometheus.query(f"count_over_time(({series} > {OBJECTIVE})[5m:1s])")
    return {labels["pod"]: seconds for labels, seconds in found}


def _apps(made: Homes) -> set[str]:
    return {name.rsplit("-", 2)[0] for name in made.scene.evicted()}


def _wait_moved(made: Homes, service: Service, pod: str) -> None:
    """Wait until a pod is evicted and its record says what became of it."""

    def landed() -> bool:
        record = made.placing.services.record_of(pod)
        return record is not None and record["status"].get("landing", "Pending") != "Pending"

    wait_until(lambda: pod in made.scene.evicted(), f"{pod} to go", timeout=120, seen=service.program.tail)
    wait_until(landed, f"{pod} to land", timeout=60, seen=service.program.tail)


def _name(line: Object) -> str:
    return str(line["pod"]).split("/")[1]


def _snapshot(made: Homes, service: Service, extender: Extender) -> Snapshot:
    services = made.placing.services
    pods = {name.rsplit("-", 2)[0]: name for name in (raw["metadata"]["name"] for raw in made.scene.pods())}
    return Snapshot(
        evicted=made.scene.evicted(),
        records={record["spec"]["pod"]["name"]: record for record in services.records()},
        events=made.scene.events(),
        report=services.report(),
        log=service.program.tail(100_000),
        refused=service.metric("bayplan_descheduler_refusals_total", rail=NOT_PLACEMENT, rule="soft-slo"),
        explained={app: extender.nodes(f"{made.scene.namespace}/{pods[app]}") for app in pods},
        pods=made.scene.pods(),
    )


def begun_at(record: Object) -> float:
    """Return when a record was written."""
    return datetime.fromisoformat(record["metadata"]["creationTimestamp"]).timestamp()
