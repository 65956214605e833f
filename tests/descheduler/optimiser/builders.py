"""Problems for the tests of the optimiser: sensible defaults, everything else by keyword."""

from collections.abc import Sequence
from typing import Any

from descheduler.optimiser.problem import Item, Problem, Site


def make_site(name: str = "n1", **changes: Any) -> Site:
    """Return an empty node of 1,000 milli-cores, 1,000 bytes and 10 pods; `room` alone means nothing else is fixed."""
    room = changes.get("room", (1000, 1000, 10))
    defaults: dict[str, Any] = {"name": name, "room": room, "allocatable": room}
    return Site(**(defaults | changes))


def make_item(key: str = "web-0", **changes: Any) -> Item:
    """Return a pod of the only tier that asks for a tenth of `make_site` and may go anywhere."""
    defaults: dict[str, Any] = {"key": key, "requests": (100, 100, 1), "tier": 0, "eligible": 0}
    return Item(**(defaults | changes))


def make_problem(items: Sequence[Item] = (), sites: Sequence[Site] = (), **changes: Any) -> Problem:
    """Return a problem of these pods and nodes (two by default), every pod eligible everywhere."""
    nodes = tuple(sites) or (make_site("n1"), make_site("n2"))
    defaults: dict[str, Any] = {
        "resources": ("cpu", "memory", "pods"),
        "sites": nodes,
        "items": tuple(items),
        "eligibility": (tuple(range(len(nodes))),),
        "tiers": 1 + max((item.tier for item in items), default=0),
    }
    return Problem(**(defaults | changes))
