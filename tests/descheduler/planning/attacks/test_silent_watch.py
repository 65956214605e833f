"""A watch that fell silent and nobody noticed: what it shows is the past, and no further eviction rests on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from descheduler.planning.tooling import Look, Sight
from policies.values.candidates import Victim
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from simulator.failures import Failure
from simulator.faults import After, Fail
from sources.kube.cluster_watch import Change
from tests.descheduler.planning.site import Process, Site, plan_policy
from tests.descheduler.planning.under_way import released, started, two_victims


@dataclass
class Watching:
    """A sight whose watch can fall silent; lists still tell how things are."""

    real: Sight
    shown: Cluster | None = field(default=None, init=False)

    def snapshot(self) -> Cluster:
        """Return what the watch shows."""
        return self.shown or self.real.consistent()

    @contextmanager
    def following(self, plan: Plan) -> Iterator[Look]:  # noqa: ARG002  # it looks at everything
        """Look at what the watch shows."""
        yield self.snapshot

    def heard(self, change: Change) -> None:
        """Hear nothing."""

    def fresh(self, victim: Victim) -> Cluster:
        """Return the same, with the pod itself and who stands at its destination as they are now."""
        if self.shown is None:
            return self.real.fresh(victim)
        uid, there = victim.candidate.pod.uid, self.real.fresh(victim).pods
        old = {each: pod for each, pod in self.shown.pods.items() if each != uid and pod.node != victim.destination}
        new = {each: pod for each, pod in there.items() if each == uid or pod.node == victim.destination}
        return replace(self.shown, pods=old | new)

    def consistent(self) -> Cluster:
        """Return how things are."""
        return self.real.consistent()

    def now(self) -> float:
        """Return the server's time."""
        return self.real.now()


def watching(site: Site) -> tuple[Process, Watching]:
    process = started(site)
    sight = Watching(process.tools.sight)
    process.tools = replace(process.tools, sight=sight)
    process.planner.tools = process.tools
    return process, sight


def test_watch_that_does_not_show_the_last_eviction_allows_no_next_one() -> None:
    """The pod that all this was for is deleted, which a living watch would tell."""
    site = two_victims()
    process, sight = watching(site)

    before = sight.real.consistent()

    def silence() -> None:
        sight.shown = before
        site.server.remove("deployments", "big", "default")

    site.server.faults.add(After(silence), path="*/eviction")

    result = process.attempt()

    assert (result.outcome, len(site.evictions())) == ("Aborted", 1)
    assert "does not show" in result.detail
    released(site)


def test_watch_that_shows_everything_lets_the_plan_go_on() -> None:
    site = two_victims()
    process, _ = watching(site)

    assert process.attempt().outcome == "Completed"


def test_eviction_that_goes_on_in_the_background_is_no_silence() -> None:
    site = two_victims()
    site.policy = plan_policy(realiseWithin="5s")
    process, _ = watching(site)
    virtual = Failure(429, "TooManyRequests", "triggered evacuation of the virtual machine")
    site.server.faults.add(Fail(virtual), path="*/eviction")

    result = process.attempt()

    assert (result.outcome, len(site.evictions())) == ("TimedOut", 2)


def test_cluster_that_cannot_be_listed_then_allows_no_next_eviction() -> None:
    site = two_victims()
    process, sight = watching(site)
    before = sight.real.consistent()

    def silence() -> None:
        sight.shown = before
        for resource in ("pods", "nodes"):
            site.server.faults.add(Fail(Failure(500, "InternalError", "no")), path=f"*/{resource}", times=9)

    site.server.faults.add(After(silence), path="*/eviction")

    result = process.attempt()

    assert (result.outcome, len(site.evictions())) == ("Aborted", 1)
