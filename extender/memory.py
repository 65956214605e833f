"""Everything that one replica knows, in one place: filled by the background tasks, read by requests; asks nobody."""

import threading
from dataclasses import dataclass, field

from extender.board import Board
from extender.census import Census
from extender.holding import Holding
from extender.ledger import Ledger
from extender.metrics import Meters
from extender.plans import Plans
from extender.reports import Reports
from extender.rulings import Ruling, Rulings


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The state of a replica. `nudged` is set when sleeping pods may be answered differently now."""

    rulings: Rulings
    census: Census
    board: Board
    plans: Plans
    nudged: threading.Event
    ledger: Ledger = field(default_factory=Ledger)
    reports: Reports = field(default_factory=Reports)
    holding: Holding = field(default_factory=Holding)
    meters: Meters = field(default_factory=Meters)

    @staticmethod
    def under(ruling: Ruling) -> "Memory":
        """Return the memory of a replica that has just started."""
        rulings, census, nudged = Rulings(ruling), Census(), threading.Event()
        board, plans = Board(census, rulings, freed=nudged), Plans(census, nudged=nudged)
        return Memory(rulings=rulings, census=census, board=board, plans=plans, nudged=nudged)
