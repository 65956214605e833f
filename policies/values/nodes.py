"""Nodes as decisions see them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from policies.values.resources import NOTHING, Resources


@dataclass(frozen=True, slots=True)
class Taint:
    """A taint of a node; `effect` is NoSchedule, PreferNoSchedule or NoExecute."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node: what can be allocated on it, where it stands, and whether it takes pods.

    `addresses` holds every address and host name, to match metrics labelled by address. `cordoned` is
    `spec.unschedulable`; `ready` is its Ready condition being True (unknown is not ready); `created_at` is Unix
    seconds by the API server's clock.
    """

    name: str
    uid: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    addresses: tuple[str, ...] = ()
    taints: tuple[Taint, ...] = ()
    allocatable: Resources = NOTHING
    cordoned: bool = False
    ready: bool = True
    terminating: bool = False
    created_at: float = 0.0
