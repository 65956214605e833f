"""A congested node whose biggest taker fits nowhere by itself is relieved by a plan that makes room for it."""

from collections.abc import Callable
from typing import Any

from controlplane.node_figures import NodeUse, Place, PodUse
from controlplane.objects import NodeShape
from controlplane.waiting import wait_until
from tests.e2e.descheduling import CPU
from tests.e2e.plan_sights import app_of
from tests.e2e.planning import Lot, Planning
from tests.e2e.scenes import node_of

# Cores that each app takes, beside what it requests.
TAKES = {"taker": 2.5, "calm": 0.2, "big": 0.3, "small": 0.1}


def test_a_hot_node_whose_victim_fits_nowhere_singly_is_relieved(
    plans: Planning, record_property: Callable[[str, object], None]
) -> None:
    policy = _policy(plans)
    extender = plans.launch_extender(policy)
    hot, crowded, other = plans.scene.nodes(3, NodeShape(cpu="4"))
    plans.lay_out(
        Lot(name="taker", cpu="2000m", nodes=[hot]),
        Lot(name="calm", cpu="1000m", nodes=[hot]),
        Lot(name="big", cpu="1500m", nodes=[crowded]),
        Lot(name="small", cpu="1000m", nodes=[crowded]),
        Lot(name="full", cpu="2500m", nodes=[other]),
    )
    plans.veto("calm")
    plans.rules = plans.floor(0)
    plans.serve(extender)
    _measure(plans, hot)  # the extender's own node as well: too few measured nodes, and nobody is evicted
    service = plans.plan_for(policy)

    plan = plans.wait_end(timeout=90)

    assert plans.told_of(plan) == ("Completed", {"move": sorted([crowded, other])}), service.program.tail(60)
    plans.wait_on("taker", crowded)
    plans.wait_on("small", other)
    record_property("evictions", plans.evicted())
    assert sorted(name.split("-")[0] for name in plans.evicted()) == ["small", "taker"]
    wait_until(lambda: {raw["spec"]["rule"] for raw in plans.placing.services.records()} == {"relief"}, "the records")


def _policy(plans: Planning) -> dict[str, Any]:
    signals = {
        "prometheus": {"url": plans.placing.prometheus.url, "timeout": "1s"},
        "step": "1s",
        "staleAfter": "20s",  # a relief that is older than this is dropped
        "resources": {"cpu": CPU},
    }
    wide = [{"scope": "cluster", "max": 50, "window": "10m"}]
    eviction = {"mode": "enforce", "minPodAge": "0s", "readyFor": "1s", "minReadyReplicas": 0, "limits": wide}
    return plans.policy(eviction={"minReadyReplicas": 0}, trigger="off", relief=True) | {
        "signals": signals,
        "buoyancy": {"descheduleAfter": "3s"},
        "eviction": eviction,
    }


def _measure(plans: Planning, hot: str) -> None:
    """Let one node be hot by what the taker takes, the others be far from it."""
    figures = plans.placing.figures
    for raw in plans.api.items("/api/v1/nodes"):
        name = raw["metadata"]["name"]
        figures.node(name, NodeUse(cpu=0.95 if name == hot else 0.1, cpu_pressure=0.3 if name == hot else 0.0))
    for pod in plans.scene.pods():
        place = Place(plans.scene.namespace, pod["metadata"]["name"], node_of(pod))
        figures.pod(place, PodUse(cpu=TAKES.get(app_of(pod), 0.1)))
