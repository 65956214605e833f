"""What tests of plans under way share: a process that leads, a person's abort, moments of a phase, an end in order."""

from collections.abc import Callable

from descheduler.planning.attempting import Attempts
from policies.values.plans import PlanPhase
from tests.descheduler.planning.site import OWN, Process, Site

PATH = f"/apis/bayplan.dev/v1alpha1/namespaces/{OWN}/placementplans"
MERGE = "application/merge-patch+json"


def started(site: Site) -> Process:
    """Return a process that has led for a while and knows the replicas."""
    process = site.process()
    site.wait(7)
    return process


def abort(site: Site, why: str = "maintenance") -> None:
    """Ask for an abort as a person does."""
    name = site.plan().name
    site.server.request("PATCH", f"{PATH}/{name}", body={"spec": {"abort": why}}, content_type=MERGE)


def in_phase(site: Site, phase: PlanPhase, happen: Callable[[], object]) -> None:
    """Let something happen once the plan's status says a phase."""
    done: list[PlanPhase] = []

    def look() -> None:
        if not done and site.plans() and site.plan().phase is phase:
            done.append(phase)
            happen()
        if not done:
            site.clock.call_after(0.05, look)

    site.clock.call_after(0.05, look)


def released(site: Site) -> None:
    """Fail unless nothing of a plan is left in force."""
    assert site.slot().plan is None
    assert all(plan.phase.ended for plan in site.plans())
    site.wait(1)
    assert all(replica.plan is None for replica in site.extenders.values() if not replica.dead)


def two_victims() -> Site:
    """Return a cluster in which two pods of two workloads must leave n2 for one that waits."""
    site = Site()
    site.node("n1", cpu=850)
    site.node("n2")
    site.workload("one", "n2", cpu=400)
    site.workload("two", "n2", cpu=400)
    site.workload("big", None, cpu=900)
    site.solver.goes = {"one-0": "n1", "two-0": "n1", "big-0": "n2"}
    return site


def attempts(site: Site, process: Process) -> Attempts:
    """Return the thread's work that takes the requests of a process."""
    return Attempts(desk=process.desk, planner=process.planner, policy=lambda: site.loaded, clock=site.clock)
