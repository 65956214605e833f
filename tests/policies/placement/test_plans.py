"""What a plan in force means for filter: planned pods, promises, holds."""

from policies.placement.filtering import FilterDecision, decide_filter
from policies.placement.reasons import PLAN_REASONS, TEXTS, Reason
from policies.placement.views import View
from policies.plans.force import PlanInForce
from policies.values.pods import Constraints, Owner, Pod, PodTerm
from policies.values.selectors import LabelSelector
from tests.policies.placement.cases import make_standing, make_view
from tests.policies.placement.planned import FORCE, NAMES, NODES, TIGHT
from tests.policies.plans.making import in_force, look_at, make_plan, make_quota, pending


def _filter(pod: Pod, force: PlanInForce = FORCE, *, held: bool = False, **changes: object) -> FilterDecision:
    sight = look_at(pod, force, nodes=NODES, held=held)
    standings = [make_standing("n1", 0.05), make_standing("n2", 0.5), make_standing("n3", 0.5)]
    return decide_filter(pod, NAMES, make_view(*standings, plan=sight, **changes))


def test_a_planned_pod_gets_its_node_although_that_is_congested_and_its_workload_was_evicted_there() -> None:
    decision = _filter(pending("a"), steered={"n1": 1.0})

    assert decision.passed == ["n1"]
    assert decision.refused == {Reason.PLANNED: ["n2", "n3"]}


def test_a_planned_pod_waits_where_its_node_is_not_offered() -> None:
    sight = look_at(pending("a"), FORCE)

    decision = decide_filter(pending("a"), ["n2"], make_view(plan=sight))

    assert decision.passed == []
    assert decision.kept_waiting
    assert not decision.emptied


def test_a_planned_pod_is_kept_off_the_node_that_it_was_nominated_to() -> None:
    assert _filter(pending("a", nominated_node="n2")).passed == ["n1"]


def test_any_other_pod_may_use_what_is_not_promised() -> None:
    assert _filter(pending("b", "api", cpu=300), TIGHT, ratings=make_view().ratings).passed == NAMES
    assert _filter(pending("b", "api", cpu=301), TIGHT).refused == {Reason.RESERVED: ["n1"]}


def test_a_pod_of_higher_priority_is_not_kept_from_what_is_promised_to_a_lower_one() -> None:
    assert Reason.RESERVED not in _filter(pending("b", "api", cpu=301, priority=1), TIGHT).refused


def test_the_nominated_node_passes_whatever_is_promised_there_and_whoever_is_held() -> None:
    pod = pending("b", "api", cpu=900, nominated_node="n1")

    assert _filter(pod, TIGHT).passed == NAMES
    assert _filter(pod, TIGHT, held=True).passed == ["n1"]


def test_a_held_pod_is_refused_every_node() -> None:
    decision = _filter(pending("b", "api"), held=True)

    assert decision.passed == []
    assert decision.refused == {Reason.HELD: NAMES}
    assert decision.kept_waiting


def test_pods_that_we_have_no_say_in_pass() -> None:
    assert _filter(pending("d", owner=Owner("DaemonSet", "d")), TIGHT, held=True).passed == NAMES


def test_a_pod_that_would_shut_a_planned_one_out_is_refused_there() -> None:
    anybody = PodTerm("kubernetes.io/hostname", LabelSelector(), frozenset({"default"}))
    loner = pending("b", "api", constraints=Constraints(anti_affinity=(anybody,)))
    force = in_force(make_plan(make_quota()), NODES, [pending("a")])

    assert _filter(loner, force).refused == {Reason.SHUTS_OUT: ["n1"]}


def test_each_reason_of_a_plan_has_one_text_without_numbers() -> None:
    assert TEXTS.keys() >= PLAN_REASONS
    assert all(text.startswith("node(s) ") and not any(map(str.isdigit, text)) for text in TEXTS.values())
    assert len({*TEXTS.values()}) == len(TEXTS)


def test_without_a_plan_nothing_of_it_is_asked() -> None:
    view: View = make_view()

    assert not view.planned
    assert decide_filter(pending("a"), NAMES, view).passed == NAMES
