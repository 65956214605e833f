"""What tests of whole cycles share: a cluster with one hot node, who was refused and why, when calls came in."""

from collections.abc import Iterable

from descheduler.decisions import Kind
from tests.descheduler.site import Process, Site, policy

TEN_MINUTES = 600.0


def hot(**eviction: object) -> Site:
    """Return a cluster whose n1 has a demand of 4.6 of 4 cores, `web-0` taking the most; n2 and n3 are idle."""
    site = Site(policy=policy(**eviction), demands={"web": 1.5, "api": 1.0}, others={"n1": 2.1, "rest": -1.5})
    site.add("web", "n1", "rest", "rest")
    site.add("api", "n1", "rest", "rest")
    return site


def refusals(process: Process, *, after: float = 0.0) -> dict[str, str]:
    """Run a cycle and return the rail that refused each candidate."""
    lines = process.run(after=after).decisions
    return {line.pod.name: line.rail for line in lines if line.pod is not None and line.kind is Kind.REFUSED}


def most_within(times: Iterable[float], window: float) -> int:
    """Return the largest number of times inside any window."""
    ordered = sorted(times)
    return max((sum(start <= time < start + window for time in ordered) for start in ordered), default=0)


def eviction_times(site: Site) -> list[float]:
    """Return when eviction calls came in."""
    return [call.at for call in site.server.calls.of("create", "pods/eviction")]
