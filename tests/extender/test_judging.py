"""What is remembered between two calls about a pod: holds, and that an emptied list vetoes preemption."""

from dataclasses import replace
from typing import Any

import pytest

from extender.codec import Victims
from extender.judging import Judge, State
from policies.model.eviction import Eviction
from policies.model.plan import Plan
from policies.placement.preempting import EMPTIED, PLAN_FIRST, PLANNED
from policies.placement.ratings import Ratings
from policies.placement.reasons import Reason
from policies.values.plans import PlanSlot
from policies.values.pods import Owner
from policies.values.records import RecordState
from simulator.clock import ManualClock
from tests.builders import NOW, make_node, make_pod
from tests.extender.fakes import FakeNodes, make_state, retune
from tests.policies.placement.cases import make_standing
from tests.policies.placement.test_steering import make_record
from tests.policies.plans.making import make_plan, make_quota

POD = make_pod(node=None, owner=Owner("ReplicaSet", "web-7d4"), labels={"pod-template-hash": "7d4"})
CONGESTED = make_standing("n1", -0.5)
ENFORCE = Eviction(mode="enforce")
ONE_VICTIM = {"n1": Victims(("a",), 0, {})}


class ChangingNodes(FakeNodes):
    """Nodes that are rated otherwise each time that somebody looks."""

    def __init__(self, *ratings: Ratings) -> None:
        super().__init__()
        self.left = list(ratings)

    @property
    def ratings(self) -> Ratings:
        """Return the next ratings."""
        return self.left.pop(0)


def test_a_pod_refused_everywhere_waits_for_max_hold_and_no_longer(clock: ManualClock) -> None:
    judge = Judge(make_state([CONGESTED], clock=clock, max_refused_nodes=1.0))

    assert judge.filter(POD, ["n1"]).passed == []
    clock.advance(299)
    assert judge.filter(POD, ["n1"]).passed == []
    clock.advance(1)
    assert judge.filter(POD, ["n1"]).passed == ["n1"]


def test_a_pod_refused_while_its_node_came_free_is_woken_at_once(clock: ManualClock) -> None:
    state = make_state([CONGESTED], clock=clock, max_refused_nodes=1.0)
    nodes = ChangingNodes(state.nodes.ratings, Ratings())
    judge = Judge(replace(state, nodes=nodes))

    assert judge.filter(POD, ["n1"]).passed == []

    assert nodes.left == []
    assert state.nudged.is_set()


def test_a_pod_refused_by_nodes_that_stay_congested_is_not_woken(clock: ManualClock) -> None:
    state = make_state([CONGESTED], clock=clock, max_refused_nodes=1.0)

    Judge(state).filter(POD, ["n1"])

    assert not state.nudged.is_set()


def test_a_hold_counts_from_the_pods_own_condition_if_that_is_older(clock: ManualClock) -> None:
    judge = Judge(make_state([CONGESTED], clock=clock, max_refused_nodes=1.0))

    # Its time is cut to whole seconds: it may have been refused up to a second later.
    assert judge.filter(make_pod(node=None, unschedulable_since=NOW - 300), ["n1"]).passed == []
    assert judge.filter(make_pod(node=None, unschedulable_since=NOW - 301), ["n1"]).passed == ["n1"]


def test_setting_the_clock_back_does_not_lengthen_a_hold(clock: ManualClock) -> None:
    judge = Judge(make_state([CONGESTED], clock=clock, max_refused_nodes=1.0))
    judge.filter(POD, ["n1"])

    clock.jump(-10_000)
    clock.advance(300)

    assert judge.filter(POD, ["n1"]).passed == ["n1"]


def test_a_pod_whose_list_buoyancy_emptied_preempts_nobody_until_its_hold_is_over(clock: ManualClock) -> None:
    state = make_state([CONGESTED, make_standing("n2", 0.5)], clock=clock, max_refused_nodes=1.0)
    judge = Judge(state)
    judge.filter(POD, ["n1"])
    elsewhere = {"n2": Victims(("b",), 0, {})}

    vetoed = judge.preempt(POD, elsewhere)
    clock.advance(300)
    passed = judge.preempt(POD, elsewhere)

    assert vetoed.veto == EMPTIED
    assert passed.kept == ["n2"]


def test_a_pod_that_got_a_node_meanwhile_may_preempt(clock: ManualClock) -> None:
    state = make_state([CONGESTED, make_standing("n2", 0.5)], clock=clock, max_refused_nodes=1.0)
    judge = Judge(state)
    judge.filter(POD, ["n1"])
    judge.filter(POD, ["n2"])

    assert judge.preempt(POD, {"n2": Victims(("b",), 0, {})}).kept == ["n2"]


def test_on_a_full_cluster_the_hold_begins_with_the_first_vetoed_preemption(clock: ManualClock) -> None:
    judge = Judge(make_state([CONGESTED], clock=clock))

    assert judge.preempt(POD, ONE_VICTIM).kept == ()
    clock.advance(299)
    assert judge.preempt(POD, ONE_VICTIM).kept == ()
    clock.advance(1)
    assert judge.preempt(POD, ONE_VICTIM).kept == ["n1"]


def test_scores_that_are_simply_the_nodes_own_are_given_as_they_are_written() -> None:
    judge = Judge(make_state([CONGESTED, make_standing("n2", 0.5)]))

    lines = judge.lines(POD, ["n2", "n1"])

    assert lines == ['{"Host":"n2","Score":5}', '{"Host":"n1","Score":0}']
    assert judge.prioritize(POD, ["n2", "n1"]) == [5, 0]
    assert judge.lines(POD, ["n2", "n9"]) is None
    assert judge.lines(make_pod(node=None, owner=Owner("DaemonSet", "agent")), ["n2"]) is None


def test_victims_count_with_their_use_and_priority() -> None:
    nodes = FakeNodes(uses={"a": 0.7, "b": 0.7}, priorities={"a": 5, "b": 9})
    judge = Judge(make_state([CONGESTED, make_standing("n2", -0.5)], nodes=nodes))

    kept = judge.preempt(POD, {"n1": Victims(("a",), 0, {"a": 10}), "n2": Victims(("b",), 0, {})}).kept

    assert kept == ["n2"]


def test_a_workload_is_kept_off_the_node_it_was_evicted_from(clock: ManualClock) -> None:
    state = make_state(clock=clock)
    state.ledger.put(make_record(at=NOW - 599))
    judge = Judge(state)

    assert judge.filter(POD, ["n1", "n2"]).refused == {Reason.STEERING: ["n1"]}
    clock.advance(1)
    assert judge.filter(POD, ["n1", "n2"]).passed == ["n1", "n2"]


@pytest.mark.parametrize("state", [RecordState.REFUSED, RecordState.OBSERVED])
def test_what_was_not_evicted_does_not_steer(state: RecordState) -> None:
    made = make_state()
    made.ledger.put(make_record(state=state))

    assert Judge(made).filter(POD, ["n1", "n2"]).passed == ["n1", "n2"]


def test_a_sleeping_pod_wakes_when_its_hold_or_an_earlier_steering_ends(clock: ManualClock) -> None:
    state = make_state([CONGESTED], clock=clock, max_refused_nodes=1.0)
    state.ledger.put(make_record(node="n2", at=NOW - 500))
    judge = Judge(state)

    judge.filter(POD, ["n1", "n2"])

    hold = state.holding.sleepers()[POD.uid]
    assert (hold.until, hold.wakes) == (300.0, 100.0)


def test_another_policy_is_used_from_the_next_call_on() -> None:
    state = make_state([CONGESTED, make_standing("n2", 0.5)], max_refused_nodes=1.0)
    judge = Judge(state)

    retune(state, max_refused_nodes=0.0)

    assert judge.filter(POD, ["n1", "n2"]).passed == ["n1", "n2"]


def test_a_pod_without_a_uid_is_known_by_its_name() -> None:
    state = make_state([CONGESTED], max_refused_nodes=1.0)

    Judge(state).filter(make_pod(node=None, uid=""), ["n1"])

    assert state.holding.sleepers().keys() == {"default/web-0"}


def test_fc_058_at_debug_level_each_filter_call_is_logged_with_its_refusals(caplog: pytest.LogCaptureFixture) -> None:
    judge = Judge(make_state([CONGESTED]))

    with caplog.at_level("DEBUG", logger="extender.judging"):
        judge.filter(POD, ["n1", "n2"])
        judge.filter(make_pod(scheduler_name="other"), ["n1"])

    assert [record.getMessage() for record in caplog.records] == [
        "filter default/web-0: 1 of 2 pass ({'buoyancy': ['n1']})",
        "filter default/web-0: 1 of 1 pass (out of scope: scheduler other)",
    ]


# ---------------------------------------------------------------------- plans


def _enforcing(clock: ManualClock, **plan: Any) -> State:
    """Return a state under a policy whose plans come and go first."""
    state = make_state(clock=clock)
    policy = state.rulings.current.policy.model_copy(
        update={"plan": Plan(**({"trigger": "periodic", "before_preemption": 10.0} | plan)), "eviction": ENFORCE}
    )
    state.rulings.current = replace(state.rulings.current, policy=policy)
    state.plans.leader(("d", "2"), now=clock.monotonic())
    return state


def test_a_plan_may_come_before_a_pods_first_preemptions_and_no_longer(clock: ManualClock) -> None:
    judge = Judge(_enforcing(clock))

    assert judge.preempt(POD, ONE_VICTIM).veto == PLAN_FIRST
    clock.advance(9.9)
    assert judge.preempt(POD, ONE_VICTIM).veto == PLAN_FIRST
    clock.advance(0.1)
    assert judge.preempt(POD, ONE_VICTIM).kept == ["n1"]


def test_what_a_pod_has_waited_before_we_lived_counts(clock: ManualClock) -> None:
    judge = Judge(_enforcing(clock))
    since = clock.now()

    clock.advance(11.0)  # one second more: times of conditions are cut

    assert judge.preempt(replace(POD, unschedulable_since=since), ONE_VICTIM).kept == ["n1"]


def test_nobody_waits_for_a_plan_that_cannot_come(clock: ManualClock) -> None:
    silent = _enforcing(clock)
    silent.plans.leader(("", "3"), now=clock.monotonic())
    for state in (silent, _enforcing(clock, trigger="off"), _enforcing(clock, before_preemption=0.0)):
        assert Judge(state).preempt(POD, ONE_VICTIM).veto is None

    late = _enforcing(clock)
    clock.advance(15.1)
    assert Judge(late).preempt(POD, ONE_VICTIM).veto is None


def test_a_leader_that_only_observes_brings_no_plan(clock: ManualClock) -> None:
    state = _enforcing(clock)
    policy = state.rulings.current.policy.model_copy(update={"eviction": Eviction()})
    state.rulings.current = replace(state.rulings.current, policy=policy)

    assert Judge(state).preempt(POD, ONE_VICTIM).veto is None


def test_a_system_critical_pod_waits_for_no_plan(clock: ManualClock) -> None:
    critical = replace(POD, priority_class="system-cluster-critical")

    assert Judge(_enforcing(clock)).preempt(critical, ONE_VICTIM).kept == ["n1"]


def test_a_pod_that_a_plan_places_is_refused_elsewhere_and_preempts_nobody(clock: ManualClock) -> None:
    state = make_state([CONGESTED], clock=clock)
    state.plans.plan(None, make_plan(make_quota()), now=clock.monotonic())
    state.plans.slot(PlanSlot(plan="p", plan_uid="u", revision=1), now=clock.monotonic())
    judge, pod = Judge(state), make_pod(node=None)

    assert judge.filter(pod, ["n1", "n2"]).passed == ["n1"]
    assert judge.preempt(pod, ONE_VICTIM).veto == PLANNED
    assert judge.prioritize(pod, ["n1"]) == [0]
    assert state.plans.figures().claims == 1
    assert judge.filter(pod, ["n2"]).refused == {Reason.PLANNED: ["n2"]}
    assert state.plans.figures().waiting == 1
    assert state.holding.sleepers() == {}


def test_a_preemption_that_goes_on_claims_its_node_until_it_is_seen_nominated(clock: ManualClock) -> None:
    state = make_state(clock=clock)
    state.plans.plan(None, make_plan(make_quota("db")), now=clock.monotonic())
    state.plans.slot(PlanSlot(plan="p", plan_uid="u", revision=1), now=clock.monotonic())
    state.plans.node("n1", make_node("n1"))

    assert Judge(state).preempt(POD, ONE_VICTIM).kept == ["n1"]

    assert state.plans.figures().claims == 1
