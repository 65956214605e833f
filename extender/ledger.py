"""The eviction records by workload, as the watch on them tells; writes none."""

from collections.abc import Iterable
from typing import TypeAlias

from policies.values.records import EvictionRecord
from policies.values.workloads import WorkloadRef

Records: TypeAlias = tuple[EvictionRecord, ...]


class Ledger:
    """One writer, the watch; any number of readers, which see each workload's records as a whole tuple."""

    def __init__(self) -> None:
        self._by_name: dict[str, EvictionRecord] = {}
        self._by_owner: dict[WorkloadRef, Records] = {}

    def put(self, record: EvictionRecord) -> None:
        """Take in a new or changed record."""
        before = self._by_name.get(record.name)
        self._by_name[record.name] = record
        # In one step an owner: a reader that found the record gone for a moment would let the pod back to its node.
        for owner in _owners(record):
            self._by_owner[owner] = (*self._others(owner, record.name), record)
        if before is not None:
            self._part(before, _owners(before) - _owners(record))

    def remove(self, name: str) -> None:
        """Forget a record that was deleted."""
        record = self._by_name.pop(name, None)
        if record is not None:
            self._part(record, _owners(record))

    def _part(self, record: EvictionRecord, owners: Iterable[WorkloadRef]) -> None:
        for owner in owners:
            left = self._others(owner, record.name)
            if left:
                self._by_owner[owner] = left
            else:
                del self._by_owner[owner]

    def _others(self, owner: WorkloadRef, name: str) -> Records:
        return tuple(other for other in self._by_owner.get(owner, ()) if other.name != name)

    def of(self, owners: Iterable[WorkloadRef]) -> Records:
        """Return the records about any of these owners of a pod; one about two of them comes twice."""
        found: Records = ()
        for owner in owners:
            found += self._by_owner.get(owner, ())
        return found

    def all(self) -> Records:
        """Return every record."""
        return tuple(self._by_name.values())


def _owners(record: EvictionRecord) -> set[WorkloadRef]:
    return {owner for owner in (record.workload, record.controller) if owner is not None}
