"""`python -m bench placements [ROW …] [--short|--quick]`: measures rows and writes docs/benchmarks-placements.md."""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from bench import machine, results
from bench.placements import sheets, yardstick
from bench.placements.lab import Lab, Scale
from bench.placements.rows import large, machinery, prices, real, safety, small
from bench.results import Result

_PAGE: Final = Path(__file__).parents[2] / "docs" / "benchmarks-placements.md"
_TEMPLATE: Final = Path(__file__).with_name("page.md")
ROWS: Final[Mapping[str, Callable[[Lab], Iterator[Result]]]] = {
    "machinery": machinery.measure,
    "small": small.measure,
    "real": real.measure,
    "large": large.measure,
    "prices": prices.measure,
    "safety": safety.measure,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; the exit code says only whether that worked, not whether targets were met."""
    parser = argparse.ArgumentParser(prog="python -m bench placements", description=__doc__)
    parser.add_argument("rows", nargs="*", help=f"rows to measure, of {', '.join(ROWS)}; all unless given")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--short", action="store_true", help="Algorithm 8 on two seeds a cell: about 12 minutes, not 25")
    how.add_argument("--quick", action="store_true", help="one seed a cell: about four minutes")
    parser.add_argument("--write", action="store_true", help="write the page also after a quick run")
    given = parser.parse_args(arguments)
    if unknown := set(given.rows) - set(ROWS):
        parser.error(f"{', '.join(sorted(unknown))} is no row; allowed is {', '.join(ROWS)}")
    began, before = time.monotonic(), machine.load()
    scale = Scale.QUICK if given.quick else Scale.SHORT if given.short else Scale.FULL
    lab = Lab(factor=yardstick.measure() / yardstick.REFERENCE, scale=scale)
    found = [result for row in ROWS if row in (given.rows or ROWS) for result in _told(row, lab)]
    curve = prices.curves(lab) if "prices" in (given.rows or ROWS) else []
    minutes = (time.monotonic() - began) / 60
    facts = _facts(lab, minutes) | {"load average": f"{before} before, {machine.load()} after"}
    print(results.table(found))
    print(results.facts(facts))
    if curve:
        print(sheets.curve(curve))
    if not given.rows and (given.write or not given.quick):
        _PAGE.write_text(page(lab, found, facts=facts, curve=sheets.curve(curve)))
        print(f"written to {_PAGE}")
    return 0


def page(lab: Lab, found: Sequence[Result], *, facts: Mapping[str, str], curve: str) -> str:
    """Return the whole page."""
    answers = [(setup, outcome) for (name, _, setup), outcome in lab.outcomes.items() if name != "mixed"]
    skipped = [f"* skipped: {words}\n" for words in lab.skipped.values()]
    return _TEMPLATE.read_text().format(
        minutes=facts["took"].split()[0],
        table=results.table(found),
        facts=results.facts(facts),
        skipped="".join(skipped),
        curve=curve,
        instances=sheets.by_instance(answers),
    )


def _told(row: str, lab: Lab) -> Iterator[Result]:
    print(f"measuring {row} …", flush=True)
    for result in ROWS[row](lab):
        print(f"  {'met   ' if result.met else 'MISSED'} {result.what}: {result.seen}", flush=True)
        yield result


_COMMANDS: Final = {
    Scale.FULL: "placements",
    Scale.SHORT: '"placements --short"',
    Scale.QUICK: '"placements --quick"',
}


def _facts(lab: Lab, minutes: float) -> dict[str, str]:
    return {
        "command": f"`make bench ROW={_COMMANDS[lab.scale]}`",
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "took": f"{minutes:.0f} minutes",
        "factor": f"{lab.factor:.2f}",
        **machine.facts(),
        "OR-Tools": version("ortools"),
    }
