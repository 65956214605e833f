"""Compares a coverage report with the floor of each package: `python -m tests.coverage_floors coverage.json`."""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

# Share of lines and branches that unit tests must reach. Decisions are pure, so nothing excuses a gap in them.
FLOORS = {
    "bayplan": 90.0,
    "descheduler": 90.0,
    "extender": 90.0,
    "policies": 100.0,
    "simulator": 90.0,
    "sources": 90.0,
}
_PARTS = ("covered_lines", "num_statements", "covered_branches", "num_branches")


def package_shares(files: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Return the covered share of lines and branches together, in percent, by top-level package."""
    sums: dict[str, list[int]] = {}
    for name, report in files.items():
        counts = sums.setdefault(Path(name).parts[0], [0, 0, 0, 0])
        for place, part in enumerate(_PARTS):
            counts[place] += report["summary"][part]
    return {package: _percent(counts) for package, counts in sums.items()}


def shortfalls(files: Mapping[str, Mapping[str, Any]], floors: Mapping[str, float]) -> list[str]:
    """Return a line for every package below its floor, with its files that have gaps, and for every unmeasured one."""
    shares = package_shares(files)
    found = [f"{package} was not measured at all" for package in floors if package not in shares]
    for package, floor in floors.items():
        if shares.get(package, floor) < floor:
            gaps = ", ".join(_gaps(package, files))
            found.append(f"{package} is covered to {shares[package]:.2f} %, at least {floor:g} % is required: {gaps}")
    return found


def _gaps(package: str, files: Mapping[str, Mapping[str, Any]]) -> Iterable[str]:
    for name, report in sorted(files.items()):
        share = _percent([report["summary"][part] for part in _PARTS])
        if Path(name).parts[0] == package and share < 100:
            yield f"{name} {share:.0f} %"


def _percent(counts: list[int]) -> float:
    covered, total = counts[0] + counts[2], counts[1] + counts[3]
    return 100.0 * covered / total if total else 100.0


def main(arguments: list[str]) -> int:
    """Print every package's share; 1 if one is below its floor."""
    files = json.loads(Path(arguments[0]).read_text())["files"]
    for package, share in sorted(package_shares(files).items()):
        sys.stdout.write(f"coverage of {package}: {share:.2f} %\n")
    failed = shortfalls(files, FLOORS)
    sys.stderr.writelines(f"coverage: {line}\n" for line in failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
