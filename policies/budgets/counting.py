"""Which evictions a limit has to count, and when; knows no limit."""

from policies.model.limits import Limit
from policies.rails.situation import Situation
from policies.values.candidates import Candidate


def times(candidate: Candidate, *, scope: str, situation: Situation) -> list[float]:
    """Return when members of the candidate's scope were disrupted, oldest first, this cycle's victims as now.

    Two things count: every record that `Situation.counts`, whoever wrote it, and every victim without a record.
    """
    member = _member(scope, situation.ref(candidate), candidate.pod.namespace, candidate.node)
    at = [
        record.at
        for record in situation.records
        if situation.counts(record) and _member(scope, record.workload, record.namespace, record.node) == member
    ]
    at += [
        situation.now
        for victim in situation.unrecorded_victims()
        if _member(scope, situation.ref(victim.candidate), victim.candidate.pod.namespace, victim.candidate.node)
        == member
    ]
    return sorted(at)


def _member(scope: str, workload: object, namespace: str, node: str) -> object:
    return {"workload": workload, "namespace": namespace, "node": node, "cluster": "cluster"}[scope]


def within(at: list[float], *, limit: Limit, now: float) -> list[float]:
    """Return the times inside a rolling window that ends now; one exactly a window old has left it."""
    return [time for time in at if time > now - limit.window]
