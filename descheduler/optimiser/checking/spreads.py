"""Topology spread: a domain that somebody comes to holds at most the least plus the skew; others are left alone.

kube-scheduler judges only who comes. So a skew of today may stay as it is, and nobody comes to where it is too high.
"""

from collections import Counter
from collections.abc import Iterator

from descheduler.optimiser.checking.judged import Judged
from descheduler.optimiser.checking.violations import Rule, Violation
from descheduler.optimiser.problem import Spread


def violations(judged: Judged) -> Iterator[Violation]:
    """Yield each domain that takes a carrier beyond the skew, and each carrier on a node without the key."""
    for spread in judged.problem.spreads:
        taking = _taking(judged, spread)
        if not taking:
            continue  # there are thousands, and a plan moves a few pods
        counts = _counts(judged, spread)
        allowed = _least(spread, counts) + spread.max_skew
        for domain, comer in taking.items():
            if domain < 0:
                yield _breach(spread, judged.pod(comer), "a node without the key", "a node that has it")
            elif counts[domain] > allowed:
                where = f"domain {domain}, where {judged.pod(comer)} comes"
                yield _breach(spread, where, f"{counts[domain]} pods", f"at most {allowed}")


def _counts(judged: Judged, spread: Spread) -> Counter[int]:
    counts = Counter(dict.fromkeys(spread.domains, 0))
    for domain, pods in spread.fixed:
        counts[domain] += pods
    for index in set(spread.counted):
        place = judged.places[index]
        if place is not None:
            counts[spread.domains[place]] += 1
    return counts


def _least(spread: Spread, counts: Counter[int]) -> int:
    domains = set(spread.least_over)
    return 0 if len(domains) < spread.min_domains else min((counts[domain] for domain in domains), default=0)


def _taking(judged: Judged, spread: Spread) -> dict[int, int]:
    """Return the domains that a carrier comes to, each with the first of them."""
    taking: dict[int, int] = {}
    for carrier in sorted(judged.comers.intersection(spread.carriers)):
        place = judged.places[carrier]
        if place is not None:
            taking.setdefault(spread.domains[place], carrier)
    return taking


def _breach(spread: Spread, where: str, seen: str, allowed: str) -> Violation:
    return Violation(rule=Rule.SPREAD, where=f"{spread.name}: {where}", seen=seen, allowed=allowed)
