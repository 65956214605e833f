"""`python -m bench [ROW …]`: measures the rows named, or all, and prints the table; a whole run writes it to docs/.

`placements` stands for rows and a page of its own, see `bench.placements.report`.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bench import building, machine, pages, results
from bench.results import Result
from bench.rows import answering, binding, cycling
from bench.stage import Stage
from controlplane.runs import Run

_PLACEMENTS: Final = "placements"
_PAGE: Final = Path(__file__).parents[1] / "docs" / "benchmarks.md"
Measure = Callable[[Stage, frozenset[str]], Iterator[Result]]
# Rows that share a set-up are measured in one go.
GROUPS: Final[tuple[tuple[tuple[str, ...], Measure], ...]] = (
    (("filter", "preempt", "memory", "planned"), answering.measure),
    (("bind",), binding.measure),
    (("cycle",), cycling.measure),
)
ROWS: Final = tuple(row for rows, _ in GROUPS for row in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; the exit code says only whether that worked, not whether targets were met."""
    words = sys.argv[1:] if arguments is None else [*arguments]
    if words[:1] == [_PLACEMENTS]:
        from bench.placements import report  # noqa: PLC0415  # OR-Tools is no part of the other rows

        return report.main(words[1:])
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "rows", nargs="*", help=f"rows to measure, of {', '.join(ROWS)}; all unless given; or {_PLACEMENTS}"
    )
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn")
    parser.add_argument("--keep", action="store_true", help="keep the folders with logs")
    given = parser.parse_args(words)
    if unknown := set(given.rows) - set(ROWS):
        parser.error(f"{', '.join(sorted(unknown))} is no row; allowed is {', '.join(ROWS)}")
    facts = {"command": f"`make bench`, seed {given.seed}", "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"}
    before = machine.load()
    found = list(_measure(frozenset(given.rows or ROWS), seed=given.seed, keep=given.keep))
    facts |= machine.facts() | {"load average": f"{before} before, {machine.load()} after"}
    print(results.table(found))
    print(results.facts(facts))
    if not given.rows:
        _PAGE.write_text(pages.page(found, facts))
        print(f"written to {_PAGE}")
    return 0


def _measure(wanted: frozenset[str], *, seed: int, keep: bool) -> Iterator[Result]:
    programs = building.ensure()
    for rows, measure in GROUPS:
        if wanted & {*rows}:
            print(f"measuring {', '.join(row for row in rows if row in wanted)} …", flush=True)
            with Run(keep=keep) as run:
                if keep:
                    print(f"logs in {run.folder}", flush=True)
                yield from measure(Stage(run, programs, seed), wanted & {*rows})


if __name__ == "__main__":
    sys.exit(main())
