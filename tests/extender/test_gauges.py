"""The state of a replica as gauges."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from extender.board import Readings
from extender.gauges import Gauges
from extender.memory import Memory
from extender.reports import decode_totals
from extender.waiting import Wait
from policies.placement.reasons import TEXTS
from policies.values.plans import PlanSlot
from policies.values.records import Landing, RecordState, Verification
from policies.values.signals import Freshness, Grid, ResourceReadings, SignalHistory
from simulator.clock import ManualClock
from sources.policy_file import PolicyFile
from tests.builders import NOW, make_node, make_pod, make_resources
from tests.extender.test_polling import make_memory
from tests.policies.placement.measured import make_history
from tests.policies.placement.test_steering import make_record
from tests.policies.plans.making import make_plan, make_quota

POLICY = "apiVersion: bayplan.dev/v1alpha1\nkind: Policy\n"


@pytest.fixture
def policy_file(tmp_path: Path, clock: ManualClock) -> PolicyFile:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY)
    return PolicyFile(path, clock=clock)


@pytest.fixture
def memory(policy_file: PolicyFile, clock: ManualClock) -> Memory:
    made = make_memory()
    made.meters.registry.register(Gauges(made, policy_file, clock=clock))
    return made


def value(memory: Memory, name: str, **labels: str) -> float | None:
    return memory.meters.registry.get_sample_value(f"bayplan_{name}", labels)


def states(memory: Memory) -> Iterator[float | None]:
    return (
        value(memory, "extender_signal_nodes", resource="cpu", state=state)
        for state in ("fresh", "stale", "missing", "nan")
    )


def test_before_the_first_poll_every_signal_is_missing(memory: Memory) -> None:
    assert [*states(memory)] == [0, 0, 1, 0]
    assert value(memory, "extender_nodes", confidence="unknown") == 1
    assert value(memory, "extender_signal_age_seconds", resource="cpu") is None


def test_signals_are_counted_by_state_and_grow_old_between_polls(memory: Memory, clock: ManualClock) -> None:
    memory.census.nodes.update({name: make_node(name) for name in ("n2", "n3")})
    state = np.array([[Freshness.FRESH], [Freshness.NAN], [Freshness.FRESH]], dtype=np.uint8)
    node = Grid.of(
        ("n1", "n2", "gone"),
        values=np.array([[0.5], [np.nan], [0.5]]),
        states=state,
        ages=np.array([[10.0], [np.nan], [20.0]]),
        verified=True,
    )
    history = SignalHistory(times=np.array([NOW]), step=15.0, resources={"cpu": ResourceReadings(node=node)})
    memory.board.take(Readings(history=history), now=NOW)

    fresh = [*states(memory)]
    clock.advance(55.0)

    assert fresh == [1, 0, 1, 1]
    assert [*states(memory)] == [0, 1, 1, 1]


def test_nodes_loads_pods_and_sleepers_are_counted(memory: Memory) -> None:
    memory.board.take(Readings(history=make_history({"n1": {"cpu": 0.95}})), now=NOW)
    pod = make_pod(bound_at=NOW, requests=make_resources(cpu=400))
    memory.board.turn(memory.census.put(pod, now=NOW) or "")
    memory.holding.refuse("u", now=0.0, until=300.0, asleep=True, wakes=300.0)

    assert value(memory, "extender_nodes", confidence="full") == 1
    assert value(memory, "extender_refusable_nodes") == 1
    assert value(memory, "extender_assumed_load", resource="cpu") == pytest.approx(0.1)
    assert value(memory, "extender_pods") == 1
    assert value(memory, "extender_sleeping_pods") == 1
    assert value(memory, "extender_signal_age_seconds", resource="cpu") == 10.0
    assert value(memory, "extender_policy", hash="abc") == 1


def test_the_plan_obeyed_and_who_waits_for_it_are_counted(memory: Memory) -> None:
    assert value(memory, "extender_awaited_pods") == 0
    memory.plans.plan(None, make_plan(make_quota(wanted=2)), now=0.0)
    memory.plans.slot(PlanSlot(plan="p", plan_uid="u", revision=1), now=0.0)
    memory.plans.waiting.put("a", Wait(at=0.0, held=True))
    memory.plans.waiting.put("b", Wait(at=0.0))

    assert value(memory, "extender_plan", plan="p", revision="1", phase="Evicting") == 1
    assert value(memory, "extender_promised_nodes") == 1
    assert value(memory, "extender_awaited_pods") == 2
    assert value(memory, "extender_claims") == 0
    assert value(memory, "extender_waiting_pods") == 2
    assert value(memory, "extender_held_pods") == 1

    memory.plans.step(10.1)
    assert value(memory, "extender_plan", plan="p", revision="1", phase="Evicting") is None
    assert value(memory, "extender_dropped_plans_total") == 1


def test_changes_of_the_policy_are_counted_by_result(memory: Memory, policy_file: PolicyFile, tmp_path: Path) -> None:
    for text in (POLICY + "buoyancy: {filterBelow: 0.2}\n", "kind: Nonsense"):
        (tmp_path / "policy.yaml").write_text(text)
        policy_file.poll()

    assert value(memory, "extender_policies_total", result="taken") == 1
    assert value(memory, "extender_policies_total", result="rejected") == 1


def test_every_metric_and_every_text_stands_in_the_reference(memory: Memory) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "extender.md").read_text()
    listed = set(re.findall(r"^\| `(bayplan_\w+)` \|", page, flags=re.MULTILINE))

    families = {
        family.name + ("_total" if family.type == "counter" else "") for family in memory.meters.registry.collect()
    }

    assert listed == families
    assert all(f"| `{reason}` | {text} |" in page for reason, text in TEXTS.items())


def test_records_and_the_deschedulers_totals_are_told(memory: Memory) -> None:
    moved = Verification(landing=Landing.MOVED)
    memory.ledger.put(make_record("u1", state=RecordState.ACCEPTED, verification=moved))
    memory.ledger.put(make_record("u2", state=RecordState.ACCEPTED, verification=moved))
    totals = {"refusals/pdb": 4, "evictions/buoyancy/Accepted": 2}
    memory.reports.put(decode_totals({"status": {"totals": totals}}))

    assert value(memory, "eviction_records", rule="buoyancy", state="Accepted", landing="Moved") == 2
    assert value(memory, "descheduler_total", what="refusals", of="pdb", result="") == 4
    assert value(memory, "descheduler_total", what="evictions", of="buoyancy", result="Accepted") == 2


def test_a_report_without_totals_has_none() -> None:
    assert decode_totals({}) == {}
    assert decode_totals({"status": None}) == {}
