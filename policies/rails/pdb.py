"""PodDisruptionBudgets are respected before anybody is asked: counted jointly over the cycle, unknown means no.

A pod under two budgets cannot be evicted at all (the API answers 500). A pod that is not Ready passes where its
budget says `unhealthyPodEvictionPolicy: AlwaysAllow`, or where the budget's other pods are healthy enough; it then
uses up nothing.
"""

from typing import Final

from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.pdbs import Pdb
from policies.values.pods import Pod
from policies.values.refusals import Refusal

RAIL: Final = "pdb"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods whose budget does not allow one more disruption, or of which that is not known."""
    budgets = budgets_of(candidate.pod, situation)
    if not budgets:
        return None
    if len(budgets) > 1:
        return Refusal(RAIL, f"several PDBs: {', '.join(sorted(map(str, budgets)))} select {candidate.pod}")
    pdb = budgets[0]
    if pdb.disruptions_allowed is None:
        return Refusal(RAIL, f"what PDB {pdb} allows is not known, its status is missing or lags")
    if uses_nothing(candidate.pod, pdb):
        return None
    used = sum(1 for victim in situation.victims if _draws_on(pdb, victim.candidate.pod, situation))
    if pdb.disruptions_allowed > used:
        return None
    chosen = f", {used} used by this cycle" if used else ""
    return Refusal(RAIL, f"PDB {pdb} allows {max(0, pdb.disruptions_allowed)}{chosen}")


def budgets_of(pod: Pod, situation: Situation) -> list[Pdb]:
    """Return every PDB that selects a pod."""
    return situation.view.pdbs_of(pod)


def uses_nothing(pod: Pod, pdb: Pdb) -> bool:
    """Tell whether evicting this pod leaves the budget as it is (a pod that is not Ready, as the policy has it)."""
    if pod.ready:
        return False
    return pdb.always_allows_unhealthy or 0 < pdb.desired_healthy <= pdb.healthy


def _draws_on(pdb: Pdb, pod: Pod, situation: Situation) -> bool:
    """Tell whether a victim of this cycle is still to be taken off a budget's allowance.

    A victim that the snapshot shows terminating or gone has been taken off by the API server.
    """
    known = situation.cluster.pods.get(pod.uid)
    standing = known is not None and not known.terminating
    return standing and pdb in budgets_of(pod, situation) and not uses_nothing(pod, pdb)
