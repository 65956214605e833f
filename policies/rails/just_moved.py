"""A replacement that came from a move rests where it landed, longer with each move it has behind it.

The first move gives `eviction.coolDown.initial`, each further one in the ledger `factor` times more, up to `max`.
So a pod that makes its new node hot is not handed from node to node.
"""

from typing import Final

from policies.budgets.cool_down import grown
from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.records import EvictionRecord
from policies.values.refusals import Refusal

RAIL: Final = "just-moved"


def check(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Refuse pods that a move brought here not long ago."""
    moves = _moves(candidate.pod.uid, situation)
    if not moves:
        return None
    landed = max(moves[0].at, moves[0].verification.ready_at or 0.0)
    rest = grown(situation.policy.eviction.cool_down, times=len(moves))
    if situation.now - landed >= rest:
        return None
    left = landed + rest - situation.now
    return Refusal(RAIL, f"moved here by {ordinal_words(len(moves))}, rests for another {left:.0f} s")


def ordinal_words(moves: int) -> str:
    """Say how many moves in a row brought a pod where it is."""
    return "one move" if moves == 1 else f"{moves} moves in a row"


def _moves(uid: str, situation: Situation) -> list[EvictionRecord]:
    """Return the moves that led to a pod, newest first."""
    moves: list[EvictionRecord] = []
    made = situation.view.record_that_made
    while (record := made.get(uid)) is not None and record not in moves:
        moves.append(record)
        uid = record.pod_uid
    return moves
