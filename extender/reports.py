"""The descheduler's running totals, as its report in the cluster tells; it adds nothing up."""

from collections.abc import Mapping
from typing import Any


class Reports:
    """The totals of the newest report, by name (`refusals/pdb`)."""

    def __init__(self) -> None:
        self.totals: Mapping[str, int] = {}

    def put(self, totals: Mapping[str, int]) -> None:
        """Take in a new or changed report."""
        self.totals = totals


def decode_totals(raw: Mapping[str, Any]) -> Mapping[str, int]:
    """Read the totals of a DeschedulerReport.

    Raises:
        TypeError, ValueError, AttributeError: malformed.
    """
    totals = (raw.get("status") or {}).get("totals") or {}
    return {str(name): int(count) for name, count in totals.items()}
