"""Refusals: the typed answer of a rail, a budget or a check that protects somebody."""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """Whom a refusal speaks for, so that the caller knows what to stop: this pod, its workload … or everything."""

    POD = "pod"
    WORKLOAD = "workload"
    NODE = "node"
    NAMESPACE = "namespace"
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a candidate is not evicted (or a node not used).

    `rail` is the rail's name as it stands in logs, events, metrics and the reference (`pdb`, `ready-floor`);
    `message` says in one sentence what was seen and what is allowed.
    """

    rail: str
    message: str
    scope: Scope = Scope.POD

    def __str__(self) -> str:
        return f"{self.rail}: {self.message}"
