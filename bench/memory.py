"""How much memory a process and its children hold; Linux only."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PSS: Final = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)
_PEAK: Final = re.compile(r"^VmHWM:\s+(\d+) kB", re.MULTILINE)


def tree(pid: int) -> Iterator[int]:
    """Yield a process and everything below it."""
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield from tree(int(child))


def resident(pid: int) -> int:
    """Return the resident bytes of a process with its children; pages that they share count once."""
    return sum(_kilobytes(_PSS, Path(f"/proc/{one}/smaps_rollup")) for one in tree(pid)) * 1024


def peak(pid: int) -> int:
    """Return the largest resident bytes that each ever had, added up: more than they ever had together."""
    return sum(_kilobytes(_PEAK, Path(f"/proc/{one}/status")) for one in tree(pid)) * 1024


def _kilobytes(pattern: re.Pattern[str], file: Path) -> int:
    found = pattern.search(file.read_text())
    return 0 if found is None else int(found[1])
