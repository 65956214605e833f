"""With `eviction.evictPodsWithClaims: false` no pod that uses a PersistentVolumeClaim is evicted.

Without it the rule is: a pod with claims may move if every volume can be attached at the destination: by its zone or
node affinity, its access mode, and the number of volumes that the CSINode there says its driver can attach.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal

RAIL: Final = "claims"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods with claims where the policy leaves them out."""
    claims = candidate.pod.claims
    if not claims or situation.policy.eviction.evict_pods_with_claims:
        return None
    return Refusal(RAIL, f"eviction.evictPodsWithClaims is false and the pod claims {', '.join(claims)}")
