"""What a search asks of every constraint over several pods; computes nothing."""

from typing import Final, Protocol, TypeAlias

from descheduler.optimiser.tables import Bools, Ints

Nodes: TypeAlias = Ints | Bools | slice
"""Some nodes, as numpy takes them for an index: a few by number, most of them as a mask, or all."""

EVERYWHERE: Final = slice(None)


class Tie(Protocol):
    """Counts where its members stand, and which of them are new there.

    There are thousands of them, of a few pods each: none keeps anything for each node or for each pod of the problem,
    and no question costs more than looking at its members.
    """

    def change(self, pod: int, old: int, new: int) -> None:
        """Note that a member went from one place to another; `NOWHERE` is one too."""
        ...

    def blocked(self, pod: int) -> Nodes | None:
        """Return nodes that a member without a place may not take as things stand, None: it may take any."""
        ...

    def holds(self) -> bool:
        """Whether everybody who is new somewhere may be there as things stand."""
        ...
