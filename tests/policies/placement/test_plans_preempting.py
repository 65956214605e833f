"""What a plan in force means for preemption."""

from dataclasses import replace

from policies.placement.expected_load import Resident
from policies.placement.preempting import (
    HELD,
    PLAN_FIRST,
    PLANNED,
    PROMISED,
    Option,
    PreemptDecision,
    decide_preempt,
)
from policies.plans.claims import Claims, claim_place
from policies.plans.force import PlanInForce
from policies.plans.quotas import Place, kind
from policies.values.pods import Constraints, Pod, PodTerm
from policies.values.selectors import LabelSelector
from tests.builders import make_pod, make_resources
from tests.policies.placement.cases import make_view
from tests.policies.placement.planned import BIG, FORCE, NODES
from tests.policies.plans.making import SMALL, controller, in_force, look_at, make_plan, make_quota, pending


def _preempt(pod: Pod, force: PlanInForce, *options: Option, held: bool = False, **changes: object) -> PreemptDecision:
    view = make_view(plan=look_at(pod, force, nodes=NODES, held=held), **changes)
    return decide_preempt(pod, options, view)


def _option(node: str, *victims: Pod) -> Option:
    return Option(node, [0] * max(1, len(victims)), victims=[Resident(pod, "db") for pod in victims])


def test_a_planned_pod_preempts_nobody() -> None:
    assert _preempt(pending("a"), FORCE, _option("n1")).veto == PLANNED


def test_nor_does_a_pod_whose_place_another_has_claimed_so_far() -> None:
    claims = Claims()
    claims.put(claim_place(pending("b"), Place(kind(controller(), SMALL), "n1"), now=0.0))
    view = make_view(plan=look_at(pending("a"), FORCE, claims=claims))

    assert decide_preempt(pending("a"), [_option("n1")], view).veto == PLANNED


def test_a_held_pod_preempts_nobody() -> None:
    assert _preempt(pending("b", "api"), FORCE, _option("n1"), held=True).veto == HELD


def test_a_preemption_waits_for_a_plan_that_may_come_first() -> None:
    assert decide_preempt(pending("a"), [_option("n1")], make_view(plan_first=True)).veto == PLAN_FIRST


def test_a_system_critical_pod_waits_for_nobody() -> None:
    critical = pending("a", priority_class="system-node-critical")

    decision = _preempt(critical, FORCE, _option("n1"), held=True, plan_first=True)

    assert decision.kept == ["n1"]
    assert decision.exempt == "system-critical pod"


def test_a_node_whose_room_is_promised_is_no_candidate_even_without_the_victims() -> None:
    victim = make_pod("v", workload="db", cpu=200)
    force = in_force(make_plan(make_quota(requests=BIG)), NODES, [victim])
    pod = pending("b", "api", cpu=400)

    decision = _preempt(pod, force, _option("n1", victim), _option("n2"))

    assert decision.kept == ["n2"]
    assert decision.dropped == {"n1": PROMISED}
    assert _preempt(replace(pod, requests=make_resources(cpu=300)), force, _option("n1", victim)).kept == ["n1"]


def test_a_node_that_a_planned_pod_would_lose_is_no_candidate() -> None:
    anybody = PodTerm("kubernetes.io/hostname", LabelSelector(), frozenset({"default"}))
    loner = pending("b", "api", constraints=Constraints(anti_affinity=(anybody,)))
    force = in_force(make_plan(make_quota()), NODES, [pending("a")])

    assert _preempt(loner, force, _option("n1")) == PreemptDecision(dropped={"n1": PROMISED})
