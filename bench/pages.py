"""Writes `docs/benchmarks.md`: the table, what it was measured on, and how; measures nothing."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from bench import results
from bench.results import Result

_TEMPLATE: Final = Path(__file__).with_name("page.md")


def page(found: Iterable[Result], facts: Mapping[str, str]) -> str:
    """Return the page."""
    return _TEMPLATE.read_text().replace("{table}", results.table(found)).replace("{facts}", results.facts(facts))
