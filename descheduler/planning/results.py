"""What comes of attempts, as values and words; attempts nothing."""

from dataclasses import dataclass
from typing import Final

from descheduler.planning.computing import Computed
from policies.values.plans import Plan

# Words for what comes of an attempt that is no plan's end.
STANDBY: Final = "standby"
CANCELLED: Final = "cancelled"
BUSY: Final = "busy"
OBSERVED: Final = "observed"
UNREADABLE: Final = "unreadable"
REFUSED: Final = "refused"
UNWANTED: Final = "unwanted"
OUTDATED: Final = "outdated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of an attempt: one word, a sentence, the plan if there was one, and what was computed."""

    outcome: str
    detail: str = ""
    plan: Plan | None = None
    computed: Computed | None = None
