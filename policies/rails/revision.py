"""StatefulSet pods are left alone where their recreation would change the revision they run.

This happens with `OnDelete`, with a partition, or after a rollback in progress: an eviction would deploy something.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "revision"
_LABEL: Final = "controller-revision-hash"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse StatefulSet pods whose revision is not the one they would come back with."""
    workload = situation.workload(candidate)
    if workload is None or workload.ref.kind != "StatefulSet":
        return None
    runs, next_one = candidate.pod.labels.get(_LABEL), workload.update_revision
    if runs is not None and runs == next_one:
        return None
    return Refusal(RAIL, f"runs revision {runs or 'unknown'}, would come back as {next_one or 'unknown'}")
