"""What may happen to a plan's pods, owners, nodes and policy between two evictions, and what the plan says of it."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from simulator.faults import After
from tests.descheduler.planning.site import OWN, Process, Site, plan_policy
from tests.descheduler.planning.under_way import MERGE, released, started, two_victims
from tests.raw import raw_csi_node, raw_deployment, raw_node, raw_pdb, raw_pod, raw_template


def other(site: Site) -> str:
    """Return the workload whose pod has not been evicted."""
    return "two" if site.evictions() == ["one-0"] else "one"


def observe(site: Site) -> None:
    site.policy = plan_policy(mode="observe")
    site.policy_hash = "observing"


def switch_off(site: Site) -> None:
    site.policy = plan_policy(trigger="off")
    site.policy_hash = "off"


def made_again(site: Site) -> None:
    """Let the next victim be another pod of its name, on its node."""
    name = f"{other(site)}-0"
    site.server.remove("pods", name)
    site.server.put(raw_pod(name, uid="another", node="n2", workload=other(site), cpu=400))


def owner_made_again(site: Site) -> None:
    """Delete the Deployment of the next victim with all that is its own, and make one of that name."""
    name = other(site)
    site.server.remove("deployments", name)  # what is its own follows
    site.server.put(raw_deployment(name, replicas=1, spec={"template": raw_template({"app": name}, cpu=300)}))


def namespace_deleted(site: Site) -> None:
    for raw in [*site.server.all("deployments")]:
        site.server.remove("deployments", raw["metadata"]["name"])


def node_made_again(site: Site, *, cpu: int) -> None:
    """Delete the node where the victims go, and add one of that name."""
    site.server.remove("nodes", "n1")
    site.server.put(raw_node("n1", cpu=cpu, uid="another"))


def cordon(site: Site) -> None:
    site.server.request("PATCH", "/api/v1/nodes/n1", body={"spec": {"unschedulable": True}}, content_type=MERGE)


def big_made_again(site: Site) -> None:
    """Let the pod that is placed be another one of its Deployment."""
    site.server.remove("pods", "big-0")


def without_big(site: Site) -> None:
    site.server.remove("deployments", "big")


def guarded(site: Site) -> None:
    site.server.put(raw_pdb(other(site), app=other(site), spec={"minAvailable": 1}))


def relaxed(site: Site) -> None:
    site.server.put(raw_pdb(other(site), app=other(site), spec={"minAvailable": 0}))


@dataclass(frozen=True)
class Event:
    """What happens right after the first eviction of two, what comes of the plan, and how many are evicted in all."""

    happens: Callable[[Site], object]
    outcome: str
    words: str
    evicted: int = 1


EVENTS = {
    "policy observes": Event(observe, "Aborted", "another policy has come into force"),
    "plans are switched off": Event(switch_off, "Aborted", "another policy has come into force"),
    "a victim is made again under its name": Event(
        made_again, "Aborted", "on nodes where the plan does not want them: 1"
    ),
    "a victim's owner is made again": Event(owner_made_again, "Aborted", "is being rolled out"),
    "the namespace is deleted": Event(namespace_deleted, "Completed", "every wanted pod is bound"),
    "who is placed is deleted with its owner": Event(without_big, "Completed", "every wanted pod is bound"),
    "who is placed is made again": Event(big_made_again, "Completed", "every wanted pod is bound", evicted=2),
    "a node is made again, smaller": Event(lambda site: node_made_again(site, cpu=500), "Aborted", "n1"),
    "a node is made again as it was": Event(
        lambda site: node_made_again(site, cpu=850), "Completed", "every wanted pod is bound", evicted=2
    ),
    "a node is cordoned": Event(cordon, "Aborted", "node n1 is cordoned"),
    "a node's driver goes": Event(
        lambda site: site.server.put(raw_csi_node("n1", attachable={})), "Completed", "every wanted", evicted=2
    ),
    "a budget closes": Event(guarded, "Aborted", "pdb"),
    "a budget is raised": Event(relaxed, "Completed", "every wanted pod is bound", evicted=2),
}


def under_way(event: Event) -> tuple[Site, Process]:
    site = two_victims()
    process = started(site)
    site.server.faults.add(After(lambda: event.happens(site)), path="*/eviction")
    return site, process


@pytest.mark.parametrize("name", EVENTS)
def test_nobody_is_evicted_whom_the_plan_does_not_cover_any_more(name: str) -> None:
    event = EVENTS[name]
    site, process = under_way(event)

    result = process.attempt()

    assert result.outcome == event.outcome
    assert event.words in result.detail
    assert len(site.evictions()) == event.evicted
    assert site.plan().reason == result.detail
    released(site)
    assert process.gate.enter("a cycle")  # and single evictions may go on


@pytest.mark.parametrize("name", EVENTS)
def test_next_plan_may_be_made_after_it(name: str) -> None:
    event = EVENTS[name]
    site, process = under_way(event)
    process.attempt()
    site.server.faults.clear()
    site.wait(1)

    assert process.planner.ready()
    assert site.server.find("planslots", "active", OWN) is not None
    assert site.slot().plan is None
