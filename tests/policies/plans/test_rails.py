"""The rails of plans: floors and limits of their own, everything else as for a single eviction."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.model.limits import Limit
from policies.model.plan import Plan, PlanEviction
from policies.model.policy import Policy
from policies.plans.rails import first_plan_refusal, under_plan, under_plan_rules
from policies.rails.situation import Situation
from policies.values.candidates import Candidate, Victim
from policies.values.pods import Pod
from policies.values.workloads import WorkloadRef
from tests.builders import NOW, make_cluster, make_node, make_pod
from tests.policies.situations import make_candidate, make_policy, make_record, make_replicas, make_situation

WEB = WorkloadRef("Deployment", "default", "web")


def make_plan_policy(*, eviction: dict[str, Any] | None = None, **plan: Any) -> Policy:
    """Return an enforcing policy; fields of `plan` by name, those of `plan.eviction` as `eviction`."""
    changes = {"plan": Plan(eviction=PlanEviction(**(eviction or {})), **plan)}
    return make_policy().model_copy(update=changes)


def make_plan_situation(*pods: Pod, policy: Policy | None = None, **changes: Any) -> Situation:
    """Return the situation of a plan in which these pods run on three nodes."""
    cluster = make_cluster([make_node(name) for name in ("n1", "n2", "n3")], pods or make_replicas())
    return under_plan(make_situation(cluster, policy=policy or make_plan_policy(), **changes))


def refusal_of(candidate: Candidate, situation: Situation, **changes: Any) -> str | None:
    """Return the refusal in words."""
    refusal = first_plan_refusal(candidate, situation, **changes)
    return None if refusal is None else str(refusal)


def test_one_ready_replica_left_is_enough_for_a_plan() -> None:
    pair = make_replicas(nodes=("n1", "n2"))

    assert refusal_of(make_candidate(pair[0]), make_plan_situation(*pair)) is None


def test_a_floor_that_is_not_kept_names_the_setting_of_plans() -> None:
    single = make_replicas(nodes=("n1",))

    said = refusal_of(make_candidate(single[0]), make_plan_situation(*single))

    assert said == (
        "ready-floor: 0 Ready replicas of Deployment default/web would be left, plan.eviction.minReadyReplicas is 1"
    )


def test_an_age_that_is_too_young_names_the_setting_of_plans() -> None:
    young = make_pod(ready_since=NOW - 10)
    policy = make_plan_policy(eviction={"min_pod_age": 60.0})

    said = refusal_of(make_candidate(young), make_plan_situation(young, *make_replicas()[1:], policy=policy))

    assert said == "min-age: too young: 10 s since it became Ready, plan.eviction.minPodAge is 60 s"


def test_several_pods_may_leave_a_node_at_once() -> None:
    first, second = make_replicas("web"), make_replicas("api")
    victim = Victim(candidate=make_candidate(second[0]), destination="n2")

    assert refusal_of(make_candidate(first[0]), make_plan_situation(*first, *second, victims=(victim,))) is None


def test_one_pod_of_a_workload_leaves_in_one_plan() -> None:
    web = make_replicas()
    victim = Victim(candidate=make_candidate(web[1]), destination="n1")

    said = refusal_of(make_candidate(web[0]), make_plan_situation(*web, victims=(victim,)))

    assert said == "in-flight: default/web-1 of Deployment default/web was chosen in this cycle"


def test_records_of_single_evictions_use_up_the_limits_of_plans() -> None:
    policy = make_plan_policy(eviction={"limits": (Limit(scope="cluster", max=1, window=600.0),)})
    record = make_record("api-0", workload="api", node="n3", ago=60)

    said = refusal_of(make_candidate(), make_plan_situation(policy=policy, records=(record,)))

    assert said == "limits: cluster limit of 1 per 600 s in plan.eviction.limits: 1 used, frees in 540 s"


@pytest.mark.parametrize(("grace", "allowed"), [(60.0, True), (61.0, False)])
def test_pods_that_take_longer_to_end_than_a_plan_waits_are_fixed(grace: float, *, allowed: bool) -> None:
    slow = make_pod(grace_seconds=grace)

    said = refusal_of(make_candidate(slow), make_plan_situation(slow, *make_replicas()[1:]))

    assert said == (None if allowed else "max-grace: default/web-0 may take 61 s to end, plan.maxGrace is 60 s")


def test_what_a_plan_failed_with_rests() -> None:
    said = refusal_of(make_candidate(), make_plan_situation(), resting={(WEB, "n1"): NOW + 90})

    assert said == "failed-plan: a plan that moved Deployment default/web off n1 failed: rests for another 90 s"


@pytest.mark.parametrize("resting", [{(WEB, "n2"): NOW + 90}, {(WEB, "n1"): NOW}])
def test_another_pair_and_one_that_has_rested_do_not_rest(resting: dict[tuple[WorkloadRef, str], float]) -> None:
    assert refusal_of(make_candidate(), make_plan_situation(), resting=resting) is None


def test_a_rail_of_single_evictions_speaks_before_those_of_plans() -> None:
    vetoed = make_pod(grace_seconds=900.0, annotations={"bayplan.dev/no-evict": "yes"})

    said = refusal_of(make_candidate(vetoed), make_plan_situation(vetoed, *make_replicas()[1:]))

    assert said == "veto: annotation bayplan.dev/no-evict='yes' on the pod"


@given(floor=st.integers(0, 9), age=st.floats(0, 1e6), most=st.integers(0, 200))
def test_only_what_plans_have_of_their_own_is_replaced(floor: int, age: float, most: int) -> None:
    policy = make_plan_policy(eviction={"min_ready_replicas": floor, "min_pod_age": age}, max_disruptions=most)

    changed = under_plan_rules(policy)

    replaced = {"limits", "min_ready_replicas", "min_pod_age", "cool_down", "victims_per_node", "destination"}
    replaced |= {"net_gain"}
    assert changed.model_dump(exclude={"eviction"}) == policy.model_dump(exclude={"eviction"})
    assert changed.eviction.model_dump(exclude=replaced) == policy.eviction.model_dump(exclude=replaced)
    assert (changed.eviction.min_ready_replicas, changed.eviction.min_pod_age) == (floor, age)
    assert changed.eviction.limits == policy.plan.eviction.limits
    assert changed.eviction.victims_per_node == max(1, most)
