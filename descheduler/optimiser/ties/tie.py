"""What a search asks of every constraint over several pods; computes nothing."""

from typing import Protocol

from descheduler.optimiser.tables import Bools


class Tie(Protocol):
    """Counts where its members stand, and which of them are new there."""

    def change(self, pod: int, old: int, new: int) -> None:
        """Note that a member went from one place to another; `NOWHERE` is one too."""
        ...

    def blocked(self, pod: int) -> Bools | None:
        """Return nodes that a member without a place may not take as things stand, None: it may take any."""
        ...

    def holds(self) -> bool:
        """Whether everybody who is new somewhere may be there as things stand."""
        ...
