"""Whether a state was solved before, so that a proven answer is not looked for again and an unproven one not for ever.

A state is what the optimiser is told: pods, nodes, what may be disrupted, hot nodes. Signals and resource versions are
no part of it: they change all the time and no plan with them.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Final

from policies.values.clusters import Cluster
from policies.values.nodes import Node
from policies.values.pdbs import Pdb
from policies.values.pods import Pod

MOST_TRIES: Final = 3
_REMEMBERED: Final = 64  # states; arbitrary: a cluster comes back to few, and a forgotten one costs one solve


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What besides the cluster decides what a plan may do.

    `hot` are the nodes that accept nothing or the victims that must leave one, `fixed` the UIDs of pods that a rail
    protects, `allowed` what budgets and limits leave, by name: ages and windows change these without any pod changing.
    """

    policy_hash: str = ""
    hot: Collection[str] = ()
    fixed: Collection[str] = ()
    allowed: Mapping[str, int] = field(default_factory=dict)


def state_hash(cluster: Cluster, circumstances: Circumstances) -> str:
    """Return a text that is equal for equal states, in whatever order their parts come."""
    digest = hashlib.blake2b(digest_size=16)
    memo: dict[int, str] = {}
    parts = (
        sorted(_node(node) for node in cluster.nodes.values()),
        sorted(_pod(pod, memo) for pod in cluster.pods.values() if not pod.ended),
        sorted(_pdb(pdb) for pdb in cluster.pdbs),
        sorted(f"{claim.namespace}/{claim.name} {claim.volume}" for claim in cluster.claims.values()),
        sorted(
            f"{node.name} {sorted(node.attachable.items())} {sorted(node.drivers)}"
            for node in cluster.csi_nodes.values()
        ),
        sorted(driver.name for driver in cluster.csi_drivers.values() if driver.needed),
        sorted(f"{each.node} {each.driver} {each.volume}" for each in cluster.volume_attachments.values()),
        sorted(circumstances.hot),
        sorted(circumstances.fixed),
        sorted(f"{name} {count}" for name, count in circumstances.allowed.items()),
        [circumstances.policy_hash],
    )
    for part in parts:
        digest.update(repr(part).encode())
    return digest.hexdigest()


def _node(node: Node) -> str:
    """Write what of a node decides who may stand there."""
    state = (node.cordoned, node.ready, node.terminating)
    return _text((node.name, node.uid, node.labels, node.taints, node.allocatable.amounts, state))


def _pod(pod: Pod, memo: dict[int, str]) -> str:
    """Write what of a pod decides where it may stand; pods of one template share their constraints."""
    key = id(pod.constraints)
    if key not in memo:
        memo[key] = _text(pod.constraints)
    labels, asks = sorted(pod.labels.items()), sorted(pod.requests.amounts.items())
    state = (pod.node, pod.nominated_node, pod.terminating, pod.gated, pod.ready, pod.priority)
    return repr((pod.uid, state, labels, asks, pod.claims, pod.disks)) + memo[key]


def _pdb(pdb: Pdb) -> str:
    return f"{pdb} {pdb.disruptions_allowed} {_text(pdb.selector)}"


def _text(value: object) -> str:
    """Write a value so that equal ones give equal texts: sets and mappings sorted, dataclasses by their fields."""
    if isinstance(value, Mapping):
        return f"{{{_joined(sorted(f'{key!r}:{_text(each)}' for key, each in value.items()))}}}"
    if isinstance(value, frozenset):
        return f"<{_joined(sorted(_text(each) for each in value))}>"
    if isinstance(value, tuple):
        return f"({_joined(_text(each) for each in value)})"
    if is_dataclass(value):
        return f"{type(value).__name__}({_joined(_text(getattr(value, each.name)) for each in fields(value))})"
    return repr(value)


def _joined(texts: Iterable[str]) -> str:
    return ",".join(texts)


@dataclass(frozen=True, slots=True)
class SolvedStates:
    """How often each of the last states was solved without a proof; a proven one counts as solved often enough."""

    tries: Mapping[str, int] = field(default_factory=dict)

    def due(self, state: str) -> bool:
        """Tell whether solving a state may give anything new."""
        return self.tries.get(state, 0) < MOST_TRIES

    def after(self, state: str, *, proven: bool) -> "SolvedStates":
        """Return what is known after a state was solved; a cancelled solve is not one."""
        rest = {other: count for other, count in self.tries.items() if other != state}
        kept = dict(list(rest.items())[max(0, len(rest) - _REMEMBERED + 1) :])
        return SolvedStates({**kept, state: MOST_TRIES if proven else self.tries.get(state, 0) + 1})
