"""Amounts of resources as integers: what pods request and what nodes can allocate; decides nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

CPU: Final = "cpu"
MEMORY: Final = "memory"
PODS: Final = "pods"


class _Hashed:
    """Room for a hash, as plans look up what thousands of pods request several times a second.

    It is no field of a value: it is neither saved nor sent to another process, where strings have other hashes.
    """

    __slots__ = ("_hash",)
    _hash: int


@dataclass(frozen=True, slots=True)
class Resources(_Hashed):
    """Amounts by resource name: `cpu` in milli-cores, every other resource in whole base units (bytes, pieces).

    A resource that is not named is an amount of 0: requests and allocatable capacity are declarations, not
    measurements, so absence means none here. `amounts` must not be changed once it is inside.
    """

    amounts: Mapping[str, int] = field(default_factory=dict)

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            found = hash(frozenset(self.amounts.items()))
            object.__setattr__(self, "_hash", found)
            return found

    def __getitem__(self, name: str) -> int:
        """Return the amount of one resource, 0 where it is not named."""
        return self.amounts.get(name, 0)

    def __add__(self, other: "Resources") -> "Resources":
        return total((self, other))

    def __sub__(self, other: "Resources") -> "Resources":
        names = self.amounts.keys() | other.amounts.keys()
        return Resources({name: self[name] - other[name] for name in names})

    def largest_with(self, other: "Resources") -> "Resources":
        """Return the larger amount of each resource (the rule for init containers)."""
        names = self.amounts.keys() | other.amounts.keys()
        return Resources({name: max(self[name], other[name]) for name in names})

    def lacking(self, room: "Resources") -> tuple[str, ...]:
        """Name the resources of which `room` has less than is requested here, in alphabetical order.

        A request of 0 fits everywhere, also where a node is over its capacity.
        """
        return tuple(sorted(name for name, wanted in self.amounts.items() if wanted > 0 and wanted > room[name]))


NOTHING: Final = Resources()


def total(parts: Iterable[Resources]) -> Resources:
    """Return the sum of several amounts."""
    amounts: dict[str, int] = {}
    for part in parts:
        for name, amount in part.amounts.items():
            amounts[name] = amounts.get(name, 0) + amount
    return Resources(amounts)
