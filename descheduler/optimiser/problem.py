"""The placement problem: nodes with room, pods as items, and what ties them; nothing of Kubernetes is left in it.

Source: docs/design/optimiser.md. All indices are positions in the tuples of one `Problem`. Pods that must not be
touched are no items: they have been taken off `Site.room` and stand in the constraints as constants.
"""

from dataclasses import dataclass

Domains = tuple[int, ...]
"""The topology domain of each node under one key, -1 where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A node. `room` is allocatable minus everything fixed on it, `allocatable` the whole, both by resource.

    `room` may be negative where a node shrank below its use. `accepts` False: nothing may come, what is there may
    stay (a node below the buoyancy filter's threshold).
    """

    name: str
    room: tuple[int, ...]
    allocatable: tuple[int, ...]
    accepts: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A pod that the plan may place or move.

    `key` is its UID. `tier` 0 is the most important. `node` is where it runs, None while it is pending. `eligible`
    points into `Problem.eligibility`. `weight` is the price of disturbing it. `owner` tells pods of one controller
    and request vector apart from others (identities are interchangeable within). `must_leave` marks the victim of a
    relief: it may go anywhere but `node`, its room there is not freed for others, and without a place it stays.
    `keep_first` orders pods of one owner: those with the larger value keep their place (old and ready ones).
    """

    key: str
    requests: tuple[int, ...]
    tier: int
    eligible: int
    node: int | None = None
    owner: str = ""
    weight: int = 1
    must_leave: bool = False
    keep_first: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """At most `allowed` disruptions among `members`: a PDB, a workload's, a node's or a namespace's limit."""

    name: str
    members: tuple[int, ...]
    allowed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusive:
    """At most one of `members` on a node: a host port. Nodes where a fixed pod has it are not eligible already."""

    name: str
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """Required anti-affinity: in no domain one of `carriers` together with one of `others` (never with itself).

    `carriers` equal to `others`: at most one of them a domain. What fixed pods forbid is in the eligibility already.
    """

    name: str
    carriers: tuple[int, ...]
    others: tuple[int, ...]
    domains: Domains


@dataclass(frozen=True, slots=True, kw_only=True)
class Attraction:
    """Required affinity: each of `carriers` stands in a domain with one of `matching`, or with a fixed match.

    `fixed` are the domains with a fixed match. `first_exempt`: while nothing matches anywhere, the first of a group
    that matches itself may go where it likes (on a node that has the key).
    """

    name: str
    carriers: tuple[int, ...]
    matching: tuple[int, ...]
    domains: Domains
    fixed: tuple[int, ...] = ()
    first_exempt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Topology spread with DoNotSchedule: a domain that takes one of `carriers` holds at most the least plus skew.

    `counted` are the items that the selector matches, `fixed` the fixed pods it matches by domain. `least_over` are
    the domains whose minimum counts; it is 0 where there are fewer of them than `min_domains`.
    """

    name: str
    carriers: tuple[int, ...]
    counted: tuple[int, ...]
    domains: Domains
    least_over: tuple[int, ...]
    max_skew: int
    min_domains: int = 1
    fixed: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Everything a solver is told. Doing nothing is always allowed, also where it breaks a constraint already.

    `eligibility` holds sorted node indices, shared by many items. `primary` are the indices of the resources that
    usage is judged by (CPU and memory). `max_disruptions` None: no limit.
    """

    resources: tuple[str, ...]
    sites: tuple[Site, ...]
    items: tuple[Item, ...]
    eligibility: tuple[tuple[int, ...], ...]
    tiers: int
    primary: tuple[int, ...] = (0, 1)
    budgets: tuple[Budget, ...] = ()
    exclusives: tuple[Exclusive, ...] = ()
    separations: tuple[Separation, ...] = ()
    attractions: tuple[Attraction, ...] = ()
    spreads: tuple[Spread, ...] = ()
    max_disruptions: int | None = None
