"""What the watches tell, passed on to whom it concerns; keeps nothing and decides nothing."""

from dataclasses import dataclass
from typing import Any, Final

from extender.memory import Memory
from extender.reports import decode_totals
from policies.values import kinds
from policies.values.nodes import Node
from policies.values.pods import Pod
from policies.values.records import EvictionRecord
from sources.clocks import Clock
from sources.kube.cluster_watch import Change
from sources.kube.kinds import Kind, by_name, extender_kinds
from sources.kube.records import reports_path

REPORTS: Final = "deschedulerreports"


def watched_kinds(namespace: str) -> tuple[Kind[Any], ...]:
    """Return what the extender watches: nodes, lean pods, and the ledger and the report in Bayplan's namespace."""
    reports = Kind(name=REPORTS, path=reports_path(namespace), decode=decode_totals, key=by_name)
    return *extender_kinds(namespace), reports


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """Listens to a `ClusterWatch`, which calls it for one change at a time."""

    memory: Memory
    clock: Clock

    def __call__(self, change: Change) -> None:
        """Pass one change on."""
        if change.kind == kinds.PODS:
            self._pod(change.before, change.after)
        elif change.kind == kinds.NODES:
            self._node(change.before, change.after)
        elif change.kind == kinds.RECORDS:
            self._record(change.before, change.after)
        elif change.kind == kinds.SLOTS:
            self.memory.plans.slot(change.after, now=self.clock.monotonic())
        elif change.kind == kinds.PLANS:
            self.memory.plans.plan(change.before, change.after, now=self.clock.monotonic())
        elif change.kind == kinds.LEASES:
            self.memory.plans.leader(change.after, now=self.clock.monotonic())
        elif change.kind == REPORTS:
            self.memory.reports.put(change.after or {})

    def _pod(self, before: Pod | None, after: Pod | None) -> None:
        now = self.clock.now()
        if after is not None:
            node = self.memory.census.put(after, now=now)
        else:
            node = None if before is None else self.memory.census.remove(before.uid, now=now)
        # After the census: for a moment a pod is bound and its claim stands, which lets nobody in.
        self.memory.plans.pod(before, after)
        if node is not None:
            self.memory.board.turn(node)
        settled = before if after is None else after if after.node is not None else None
        if settled is not None:
            self.memory.holding.forget(settled.uid)

    def _node(self, before: Node | None, after: Node | None) -> None:
        if after is not None:
            self.memory.census.nodes[after.name] = after
            self.memory.plans.node(after.name, after)
        elif before is not None:
            self.memory.census.nodes.pop(before.name, None)
            self.memory.plans.node(before.name, None)

    def _record(self, before: EvictionRecord | None, after: EvictionRecord | None) -> None:
        if after is not None:
            self.memory.ledger.put(after)
        elif before is not None:
            self.memory.ledger.remove(before.name)
        self.memory.nudged.set()  # a steering may have been withdrawn
