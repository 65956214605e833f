"""Which evictions a limit has to count, and when they happened; knows no limit."""

from itertools import takewhile

from policies.model.limits import Limit
from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.records import EvictionRecord


def counted(candidate: Candidate, limit: Limit, situation: Situation) -> list[float]:
    """Return when the limit's scope around a candidate was disrupted within the window, oldest first.

    Every record that `Situation.counts` counts, whoever wrote it, and every victim of this cycle without a record, as
    now. An eviction exactly a window old has left it; one dated after now (another clock) has not.
    """
    begin = situation.now - limit.window
    recent = takewhile(lambda record: record.at > begin, reversed(_records(candidate, limit.scope, situation)))
    at = [record.at for record in recent if situation.counts(record)]
    member = _member(candidate, limit.scope, situation)
    chosen = (victim.candidate for victim in situation.unrecorded_victims())
    at += [situation.now for other in chosen if _member(other, limit.scope, situation) == member]
    return sorted(at)


def _records(candidate: Candidate, scope: str, situation: Situation) -> tuple[EvictionRecord, ...]:
    view = situation.view
    match scope:
        case "workload":
            return view.records_of.get(situation.ref(candidate), ())
        case "namespace":
            return view.records_in.get(candidate.pod.namespace, ())
        case "node":
            return view.records_on.get(candidate.node, ())
    return situation.view.ledger


def _member(candidate: Candidate, scope: str, situation: Situation) -> object:
    match scope:
        case "workload":
            return situation.ref(candidate)
        case "namespace":
            return candidate.pod.namespace
        case "node":
            return candidate.node
    return "cluster"
