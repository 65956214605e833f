"""How many pods of each touched kind a plan wants on every node, and how many get none: absolute numbers.

Everybody of a kind is counted, also those that just stay: what is still to come is wanted minus bound, and would be
wrong if somebody were in neither. Terminating pods are on their way out and in no count.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from descheduler.optimiser.solution import Assignment
from descheduler.planning.problems.building import Built
from policies.plans.quotas import Kind, kind_of
from policies.values.plans import Headcount, Quota
from policies.values.pods import Pod


@dataclass(slots=True)
class _Count:
    """The pods of one kind; `sample` is one of them, as good as any."""

    sample: Pod
    wanted: Counter[str] = field(default_factory=Counter)
    unplaced: int = 0

    def add(self, node: str | None) -> None:
        if node is None:
            self.unplaced += 1
        else:
            self.wanted[node] += 1


def counts(
    built: Built, assignment: Assignment, kinds: Iterable[Kind]
) -> tuple[tuple[Quota, ...], tuple[Headcount, ...]]:
    """Return quotas and headcounts of some kinds under an assignment, in the order of their names."""
    chosen, places = set(kinds), _places(built, assignment)
    found: dict[Kind, _Count] = {}
    for pod in built.situation.cluster.pods.values():
        kind = None if pod.ended or pod.terminating else kind_of(pod)
        if kind is not None and kind in chosen:
            found.setdefault(kind, _Count(pod)).add(places.get(pod.uid, pod.node or pod.nominated_node))
    ordered = sorted(found.items(), key=lambda pair: (pair[0].controller, sorted(pair[0].requests.amounts.items())))
    quotas = tuple(quota for kind, count in ordered for quota in _quotas(kind, count))
    return quotas, tuple(_headcount(kind, count, built) for kind, count in ordered)


def _places(built: Built, assignment: Assignment) -> Mapping[str, str | None]:
    """Return where each item is under the plan, by UID; a victim without another place stays."""
    places: dict[str, str | None] = {}
    for pod, item, site in zip(built.pods, built.problem.items, assignment, strict=True):
        place = item.node if item.must_leave and site is None else site
        places[pod.uid] = None if place is None else built.nodes[place]
    return places


def _quotas(kind: Kind, count: _Count) -> Iterator[Quota]:
    for node, wanted in sorted(count.wanted.items()):
        yield Quota(
            controller=kind.controller,
            node=node,
            wanted=wanted,
            requests=kind.requests,
            host_ports=count.sample.constraints.host_ports,
            priority=count.sample.priority,
        )


def _headcount(kind: Kind, count: _Count, built: Built) -> Headcount:
    cluster = built.situation.cluster
    ref = cluster.workload_of.get(count.sample.uid)
    workload = None if ref is None else cluster.workloads.get(ref)
    replicas = None if workload is None else workload.wanted
    return Headcount(controller=kind.controller, requests=kind.requests, unplaced=count.unplaced, replicas=replicas)
