"""Explanations: per node the verdict, its reason, and the figures it rests on."""

from extender.board import Readings
from extender.explaining import explain
from extender.judging import Judge, State
from extender.memory import Memory
from extender.rulings import Ruling
from policies.model.buoyancy import Buoyancy
from policies.model.policy import Policy
from policies.model.signals import ResourceSignal, Signals
from policies.values.plans import PlanSlot
from policies.values.pods import Owner
from simulator.clock import ManualClock
from tests.builders import GIB, NOW, make_node, make_pod, make_resources
from tests.extender.test_polling import make_memory
from tests.policies.placement.measured import make_history
from tests.policies.placement.test_steering import make_record
from tests.policies.plans.making import make_entry, make_plan, make_quota, pending

POD = make_pod(node=None, owner=Owner("ReplicaSet", "web-7d4"), labels={"pod-template-hash": "7d4"})


def make_judge(memory: Memory, clock: ManualClock) -> Judge:
    state = State(
        rulings=memory.rulings,
        nodes=memory.board,
        ledger=memory.ledger,
        holding=memory.holding,
        plans=memory.plans,
        clock=clock,
    )
    return Judge(state)


def read(memory: Memory, **cpu: float) -> None:
    memory.census.nodes.update({name: make_node(name) for name in cpu})
    history = make_history({name: {"cpu": use} for name, use in cpu.items()})
    memory.board.take(Readings(history=history), now=NOW)


def test_fc_058_each_node_has_its_values_ages_assumed_load_steering_and_score(clock: ManualClock) -> None:
    memory = make_memory()
    read(memory, n1=0.7, n2=0.2, n3=0.4)
    memory.ledger.put(make_record(node="n3", at=NOW - 60))
    pod = make_pod("p", node="n1", bound_at=NOW, requests=make_resources(cpu=1500))
    memory.board.turn(memory.census.put(pod, now=NOW) or "")

    told = explain(POD, ["n3", "n1", "n2"], judge=make_judge(memory, clock), nodes=memory.board)

    congested, fine, steered = told["nodes"]
    assert congested["verdict"] == "refused"
    assert congested["reason"] == "buoyancy"
    assert congested["resources"]["cpu"]["assumed"] > 0
    assert congested["resources"]["cpu"]["measured"] == 0.7
    assert congested["resources"]["cpu"]["age"] == 10.0
    assert fine == {
        "node": "n2",
        "verdict": "feasible",
        "reason": None,
        "text": None,
        "spared": False,
        "evictedFromAt": None,
        "score": 8,
        "confidence": "full",
        "buoyancy": {"filter": 0.8, "score": 0.8},
        "headroom": 0.8,
        "slack": None,
        "contested": "cpu",
        "resources": {"cpu": {"score": 0.2, "assumed": 0.0, "state": "fresh", "measured": 0.2, "age": 10.0}},
        "promised": None,
    }
    assert told["plan"] is None
    assert steered["reason"] == "steering"
    assert steered["evictedFromAt"] == NOW - 60


def test_neutral_is_relative_to_the_nodes_that_the_filter_passes(clock: ManualClock) -> None:
    memory = make_memory()
    read(memory, n1=0.97, n2=0.95, n3=0.3)
    memory.census.nodes["n4"] = make_node("n4")

    told = explain(POD, ["n1", "n2", "n3", "n4"], judge=make_judge(memory, clock), nodes=memory.board)

    assert [node["verdict"] for node in told["nodes"]] == ["refused", "refused", "feasible", "feasible"]
    assert [node["score"] for node in told["nodes"]][2:] == [7, 7]


def test_a_congested_node_that_the_limit_saves_is_said_to_be_spared(clock: ManualClock) -> None:
    memory = make_memory()
    read(memory, n1=0.95)

    (node,) = explain(POD, ["n1"], judge=make_judge(memory, clock), nodes=memory.board)["nodes"]

    assert node["verdict"] == "feasible"
    assert node["spared"]


def test_a_node_that_is_not_known_is_unknown(clock: ManualClock) -> None:
    told = explain(POD, ["nX"], judge=make_judge(make_memory(), clock), nodes=make_memory().board)

    assert told["nodes"][0]["confidence"] == "unknown"
    assert told["nodes"][0]["resources"] == {}


def test_why_a_pod_is_none_of_our_business_is_said(clock: ManualClock) -> None:
    told = explain(
        make_pod(scheduler_name="other"), [], judge=make_judge(make_memory(), clock), nodes=make_memory().board
    )

    assert told["exempt"] == "out of scope: scheduler other"


def test_an_explanation_is_not_remembered_as_a_refusal(clock: ManualClock) -> None:
    signals = Signals(resources={"cpu": ResourceSignal(node="q", age="q")})
    policy = Policy(
        api_version="bayplan.dev/v1alpha1", kind="Policy", signals=signals, buoyancy=Buoyancy(max_refused_nodes=1.0)
    )
    memory = Memory.under(Ruling.of(policy, digest="abc", own_namespace="bayplan-system"))
    read(memory, n1=0.95)

    told = explain(POD, ["n1"], judge=make_judge(memory, clock), nodes=memory.board)

    assert told["emptied"]
    assert memory.holding.sleepers() == {}


def test_what_the_plan_means_to_the_pod_and_promises_on_each_node_is_said(clock: ManualClock) -> None:
    memory = make_memory()
    tool = pending("tool", owner=None)
    plan = make_plan(make_quota(wanted=2), entries=[make_entry(tool, "n1")])
    memory.plans.plan(None, plan, now=0.0)
    memory.plans.slot(PlanSlot(plan="p", plan_uid="u", revision=1), now=clock.monotonic())
    judge = make_judge(memory, clock)
    judge.filter(pending("web-0"), ["n1", "n2"])

    planned = explain(pending("web-0"), ["n1", "n2"], judge=judge, nodes=memory.board)
    other = explain(pending("api-0", "api"), ["n1", "n2"], judge=judge, nodes=memory.board)

    assert planned["plan"] == {
        "name": "p",
        "version": "u/1",
        "phase": "Evicting",
        "hold": "reservations",
        "planned": True,
        "held": False,
        "awaited": {"n1": 2},
        "open": {"n1": 2},
        "claim": {"place": "n1", "nodes": []},
    }
    assert [node["reason"] for node in planned["nodes"]] == [None, "planned"]
    assert other["plan"]["planned"] is False
    assert other["plan"]["claim"] is None
    promised, free = (node["promised"] for node in other["nodes"])
    assert promised["to"] == [{"whom": "ReplicaSet default/web-rs", "count": 2}, {"whom": "uid-tool", "count": 1}]
    assert promised["left"] == {"cpu": 3700, "memory": 8 * GIB - 3 * 64 * 2**20, "pods": 107}
    assert promised["claimed"] == {}
    assert free is None
    assert memory.plans.figures().claims == 1
