"""Requests as kube-scheduler sends them, with their exact replies (tests/wire)."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from extender.app import create_app
from extender.census import Census
from extender.judging import Judge
from extender.metrics import Meters
from extender.plans import Plans
from policies.values.plans import Plan, PlanPhase, PlanSlot, Quota
from policies.values.records import EvictionRecord, RecordState
from policies.values.workloads import WorkloadRef
from tests.builders import NOW, make_node, make_resources
from tests.extender.fakes import FakeNodes, make_state
from tests.policies.placement.cases import make_standing

CASES = sorted((Path(__file__).parents[1] / "wire").glob("*.json"))


def _judge(state: dict[str, Any]) -> Judge:
    nodes = FakeNodes(uses=state.get("uses", {}), priorities=state.get("priorities", {}))
    plans = _plans(state["plan"]) if "plan" in state else Plans()
    standings = [make_standing(name, buoyancy) for name, buoyancy in state.get("buoyancy", {}).items()]
    made = replace(make_state(standings, nodes=nodes, **state.get("policy", {})), plans=plans)
    for at, node in enumerate(state.get("steered", [])):
        workload = WorkloadRef("Deployment", "shop", "web")
        made.ledger.put(
            EvictionRecord(
                name=f"u{at}",
                pod_uid=f"u{at}",
                pod="web-9",
                namespace="shop",
                node=node,
                rule="buoyancy",
                reason="cpu",
                at=NOW - 10,
                state=RecordState.ACCEPTED,
                workload=workload,
            )
        )
    return Judge(made)


def _plans(told: dict[str, Any]) -> Plans:
    """Put a plan in force over nodes of so many milli-cores, with quotas `[replica set, node, wanted, milli-cores]`."""
    census = Census()
    census.nodes.update({name: make_node(name, cpu=cpu) for name, cpu in told["nodes"].items()})
    quotas = tuple(
        Quota(
            controller=WorkloadRef("ReplicaSet", "shop", owner),
            node=node,
            wanted=wanted,
            requests=make_resources(cpu=cpu, pods=1),
        )
        for owner, node, wanted, cpu in told["quotas"]
    )
    plan = Plan(name="p", uid="u", phase=PlanPhase.EVICTING, quotas=quotas, hold=told.get("hold", "reservations"))
    plans = Plans(census)
    plans.plan(None, plan, now=0.0)
    plans.slot(PlanSlot(plan="p", plan_uid="u", revision=1), now=0.0)
    return plans


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_request_gets_its_exact_reply(path: Path) -> None:
    case = json.loads(path.read_text())
    client = create_app(_judge(case["state"]), Meters()).test_client()

    response = client.post(f"/v1/{case['verb']}", json=case["request"])

    assert response.status_code == 200
    assert response.content_type == "application/json"
    assert json.loads(response.data) == case["reply"]
    assert list(json.loads(response.data)) == list(case["reply"])
