"""Every query of the policy once, at the start: which of them give series, and which series match nothing.

A query that fails or gives nothing is reported by name and disturbs no other; nothing is refused because of it.
"""

import logging
from dataclasses import dataclass

import numpy as np

from policies.model.policy import Policy
from sources.clocks import SystemClock
from sources.signals import queries
from sources.signals.asking import Asker, Failed
from sources.signals.gridding import tabulate
from sources.signals.prometheus_reader import Namings, QuerySource
from sources.signals.reader import Inventory

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What one query gave: how many series, how many objects they matched, what is wrong (None: nothing)."""

    name: str
    query: str
    series: int = 0
    matched: int = 0
    trouble: str | None = None


def probe(policy: Policy, source: QuerySource, inventory: Inventory, *, at: float) -> tuple[Probe, ...]:
    """Ask every query once and log those that give nothing usable."""
    asked = queries.all_queries(policy)
    asker = Asker(timeout=policy.signals.prometheus.timeout, clock=SystemClock())
    try:
        answers = asker.ask(asked, lambda query: source.instant(query, at))
    finally:
        asker.close()
    namings = Namings(policy, inventory)
    found = []
    for name, answer in answers.items():
        if isinstance(answer, Failed):
            found.append(Probe(name=name, query=asked[name], trouble=answer.words))
            continue
        table = tabulate(answer, namings.of(name), np.array([at]))
        trouble = table.trouble or (None if answer else "gave 0 series")
        found.append(
            Probe(name=name, query=asked[name], series=len(answer), matched=len(table.objects), trouble=trouble)
        )
    for one in found:
        if one.trouble is not None:
            _LOG.warning("query %s: %s (%s)", one.name, one.trouble, one.query)
    return tuple(found)
