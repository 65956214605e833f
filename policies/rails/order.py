"""All rails in the order in which they are asked; the first refusal is the reason that is reported.

From the widest and firmest to the narrowest and most fleeting: what stops everybody; what this pod is; what its owner
said; where its data are; how its node and its workload are doing; what happened to it lately; last what others may use
up in the same cycle. So an operator reads a reason that will still hold tomorrow before one that passes by itself.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Final

from policies.budgets import cool_down, limits, per_cycle
from policies.rails import (
    bare,
    claims,
    completed,
    critical,
    daemon_set,
    in_flight,
    job,
    just_moved,
    ledger,
    local_storage,
    min_age,
    node_bound_volume,
    paused,
    pdb,
    pending,
    protected,
    readable,
    ready_floor,
    recorded,
    refused_lately,
    revision,
    rollout,
    scope,
    source_node,
    starting,
    stateful_set_order,
    static,
    terminating,
    unusable_nodes,
    vetoes,
)
from policies.rails.situation import Situation
from policies.values.candidates import Candidate
from policies.values.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Rail:
    """One rail: its name in logs, events, metrics and the reference, its check, and its prose for operators."""

    name: str
    check: Callable[[Candidate, Situation], Refusal | None]
    prose: str


def _rail(module: ModuleType) -> Rail:
    return Rail(module.RAIL, module.check, inspect.cleandoc(module.__doc__ or ""))


RAILS: Final[tuple[Rail, ...]] = tuple(
    _rail(module)
    for module in (
        # Everybody: one refusal speaks for the whole cluster.
        paused,
        readable,
        ledger,
        unusable_nodes,
        # What the pod is.
        static,
        daemon_set,
        critical,
        protected,
        scope,
        bare,
        job,
        completed,
        terminating,
        pending,
        # What its owner, or another tool's user, said.
        vetoes,
        # Where its data are.
        local_storage,
        claims,
        node_bound_volume,
        # How its node and its workload are doing.
        source_node,
        rollout,
        revision,
        stateful_set_order,
        ready_floor,
        min_age,
        # What happened lately: the ledger.
        recorded,
        refused_lately,
        in_flight,
        starting,
        cool_down,
        just_moved,
        # What one cycle shares out.
        per_cycle,
        limits,
        pdb,
    )
)


def first_refusal(candidate: Candidate, situation: Situation) -> Refusal | None:
    """Return the refusal of the first rail that protects the candidate, None where none does."""
    return next((refusal for rail in RAILS if (refusal := rail.check(candidate, situation)) is not None), None)
