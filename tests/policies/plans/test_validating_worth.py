"""Plans on fresh state: what is gained must be worth what is lost."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.builders import make_cluster, make_node, make_pod
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan
from tests.policies.plans.test_rails import make_plan_policy
from tests.policies.plans.validity import said


def contest(*, low: int = 1, high_priority: int = 10, **plan: Any) -> str | None:
    """Return what is said of a plan that evicts `low` pods of priority 0 for one pod of another priority."""
    victims = [make_pod(f"low-{at}", workload=f"low{at}", node=f"n{at}", cpu=900) for at in range(low)]
    spare = [make_pod(f"spare-{at}", workload=f"low{at}", node="n9", cpu=1) for at in range(low)]
    high = make_pod("high-0", workload="high", node=None, priority=high_priority, cpu=900)
    nodes = [make_node(f"n{at}", cpu=1000) for at in (0, 1, 2, 9)]
    before = make_cluster(nodes, [*victims, *spare, high])
    steps = make_plan(before, place={"high-0": "n0"}, evict=[f"low-{at}" for at in range(low)])
    return said(steps, before, make_plan_policy(**plan))


def test_pods_go_for_a_more_important_one() -> None:
    assert contest() is None
    assert contest(low=2) is None


def test_pods_do_not_go_for_one_of_their_own_priority() -> None:
    reason = "no-gain: pods of priority 0 that would lose their place for no more important gain: 1"

    assert contest(high_priority=0) == reason
    assert contest(high_priority=-1) == reason


def test_with_the_switch_a_count_decides_within_a_priority() -> None:
    assert contest(high_priority=0, evict_for_count=True) == "no-gain: pods that would lose their place for as many: 1"
    assert contest(high_priority=0, low=2, evict_for_count=True) == (
        "no-gain: pods of priority 0 that would lose their place for no more important gain: 2"
    )


@given(gained=st.integers(0, 3), lost=st.integers(0, 3), evict_for_count=st.booleans())
def test_a_count_within_one_priority_must_grow_and_only_with_the_switch(
    gained: int, lost: int, *, evict_for_count: bool
) -> None:
    running = [make_pod(f"low-{at}", workload=f"low{at}", node=f"n{at}") for at in range(lost)]
    twins = [make_pod(f"twin-{at}", workload=f"low{at}", node="n9") for at in range(lost)]
    waiting = [make_pod(f"new-{at}", workload=f"new{at}", node=None) for at in range(gained)]
    before = make_cluster([make_node(f"n{at}") for at in (0, 1, 2, 9)], [*running, *twins, *waiting])
    plan = make_plan(before, place={pod.name: "n9" for pod in waiting}, evict=[pod.name for pod in running])

    reason = said(plan, before, make_plan_policy(evict_for_count=evict_for_count))

    assert (reason is None) == (lost == 0 or (evict_for_count and gained > lost))


def test_a_plan_has_no_more_disruptions_than_allowed() -> None:
    reason = said(the_papers_plan(), the_paper(), make_plan_policy(max_disruptions=0))

    assert reason == "plan-size: disruptions: 1, plan.maxDisruptions is 0"
