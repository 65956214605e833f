"""Lists in pages: `limit`, `continue` over one snapshot, and 410 once it is compacted away; filters by selectors."""

import itertools
from dataclasses import dataclass, field

from simulator.failures import bad_request, expired
from simulator.jsons import Raw
from simulator.kinds import Target
from simulator.selecting import test_of
from simulator.store import Store


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a list had still to give when its page was full, and at which version."""

    version: int
    left: list[Raw]


@dataclass(slots=True)
class Lister:
    """The lists of a server; the caller holds its lock."""

    store: Store
    _open: dict[str, Snapshot] = field(default_factory=dict)
    _tokens: "itertools.count[int]" = field(default_factory=itertools.count)

    def page(self, target: Target, query: dict[str, str]) -> Raw:
        """Return one page as a List object."""
        found = self._resumed(query["continue"]) if query.get("continue") else self._fresh(target, query)
        limit = int(query.get("limit") or 0) or len(found.left)
        rest = Snapshot(found.version, found.left[limit:])
        meta: Raw = {"resourceVersion": str(found.version)}
        if rest.left:
            meta |= {"continue": f"token-{next(self._tokens)}", "remainingItemCount": len(rest.left)}
            self._open[meta["continue"]] = rest
        head = {"kind": f"{target.kind.name}List", "apiVersion": target.kind.api_version, "metadata": meta}
        return head | {"items": [_item(raw, bare=not target.kind.custom) for raw in found.left[:limit]]}

    def compact(self) -> None:
        """Forget every snapshot."""
        self._open = dict.fromkeys(self._open, Snapshot(0, []))

    def _fresh(self, target: Target, query: dict[str, str]) -> Snapshot:
        passes = test_of(query, target.kind, target.namespace)
        return Snapshot(self.store.version, [raw for raw in self.store.all(target.kind) if passes(raw)])

    def _resumed(self, token: str) -> Snapshot:
        if token not in self._open:
            raise bad_request(f"continue key is not valid: {token!r}")
        if self._open[token].version == 0:
            raise expired("The provided continue parameter is too old to display a consistent list result.")
        return self._open[token]


def _item(raw: Raw, *, bare: bool) -> Raw:
    """Return an object as it stands in a list: built-in kinds leave out `kind` and `apiVersion` there."""
    return {name: value for name, value in raw.items() if name not in {"kind", "apiVersion"}} if bare else raw
