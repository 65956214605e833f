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
        self.remove(record.name)
        self._by_name[record.name] = record
        for owner in _owners(record):
            self._by_owner[owner] = (*self._by_owner.get(owner, ()), record)

    def remove(self, name: str) -> None:
        """Forget a record that was deleted."""
        record = self._by_name.pop(name, None)
        for owner in _owners(record) if record is not None else ():
            left = tuple(other for other in self._by_owner[owner] if other.name != name)
            if left:
                self._by_owner[owner] = left
            else:
                del self._by_owner[owner]

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
