"""Planned pods are nominated to their nodes where the policy asks for it, each once, and nobody else is."""

import pytest

from descheduler.planning.nominating import places
from policies.values.plans import Plan, PlanAction, PlanEntry, PlanPhase, Quota
from policies.values.workloads import WorkloadRef
from simulator.rights import Rights, rights_of
from tests.builders import make_cluster, make_node, make_pod
from tests.descheduler.planning.site import Site, paper, plan_policy
from tests.descheduler.planning.under_way import in_phase, started
from tests.manifests import DEPLOY, NAMESPACE, documents, rendered

WEB = WorkloadRef("ReplicaSet", "default", "web-rs")
REQUESTS = make_pod(node=None).requests


def quota(node: str, wanted: int) -> Quota:
    return Quota(controller=WEB, node=node, wanted=wanted, requests=REQUESTS)


def test_as_many_are_nominated_as_are_still_wanted() -> None:
    pods = [make_pod("web-0", node="n1"), *(make_pod(f"web-{at}", node=None) for at in range(1, 5))]
    plan = Plan(name="p", quotas=(quota("n1", 2), quota("n2", 2)))

    found = [(pod.name, node) for pod, node in places(plan, make_cluster([make_node("n1"), make_node("n2")], pods))]

    assert found == [("web-1", "n1"), ("web-2", "n2"), ("web-3", "n2")]


def test_who_is_nominated_already_takes_his_place() -> None:
    pods = [make_pod("web-0", node=None, nominated_node="n1"), make_pod("web-1", node=None)]

    found = list(places(Plan(name="p", quotas=(quota("n1", 1),)), make_cluster([make_node("n1")], pods)))

    assert found == []


def test_bare_pod_is_nominated_by_its_uid_and_others_are_not() -> None:
    entry = PlanEntry(action=PlanAction.PLACE, namespace="default", pod="solo", uid="uid-solo", target="n1")
    pods = [make_pod("solo", node=None, owner=None), make_pod("other", node=None, owner=None)]

    found = [(pod.name, node) for pod, node in places(Plan(name="p", entries=(entry,)), make_cluster((), pods))]

    assert found == [("solo", "n1")]


def nominations(site: Site) -> list[str]:
    return [call.path.split("/")[-2] for call in site.server.calls.of("patch", "pods/status")]


def with_the_component() -> Rights:
    """Return the descheduler's rights with those of deploy/components/plan-nominate."""
    objects = [*rendered("base"), *documents(DEPLOY / "components" / "plan-nominate" / "rbac.yaml")]
    return rights_of(objects, "bayplan-descheduler", namespace=NAMESPACE)


@pytest.mark.parametrize("allowed", [True, False])
def test_plan_nominates_and_goes_on_without_the_right_to(*, allowed: bool) -> None:
    site = paper(policy=plan_policy(nominate=True), grace=2)
    if allowed:
        site.rights = with_the_component()
    process = started(site)
    site.scheduler.paused = True
    in_phase(site, PlanPhase.REALISING, lambda: site.clock.call_after(1, resume))

    def resume() -> None:
        site.scheduler.paused = False
        site.node("n3", cpu=10)

    assert process.attempt().outcome == "Completed"

    assert sorted(name.partition("-")[0] for name in nominations(site)) == ["pod3", "pod4"]


def test_without_the_option_nobody_is_nominated() -> None:
    site = paper(grace=2)

    started(site).attempt()

    assert nominations(site) == []


def test_leader_that_was_replaced_while_it_was_paused_nominates_nobody() -> None:
    """Whoever is nominated passes the reservations of the plan that is in force now."""
    site = paper(policy=plan_policy(nominate=True), grace=2)
    site.rights = with_the_component()
    process, second = started(site), site.process("b")
    site.scheduler.paused = True

    def pause() -> None:
        process.frozen = True
        site.wait(20)
        assert second.planner.ready()
        process.frozen = False

    in_phase(site, PlanPhase.EVICTING, pause)

    assert process.attempt().outcome == "Aborted"

    assert site.evictions() == ["pod3-0"]
    assert nominations(site) == []
