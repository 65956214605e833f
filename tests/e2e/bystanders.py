"""What the rest of the machine takes: a real node_exporter cannot tell other people's processes from a test's."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


def cpus() -> int:
    """Return the number of CPUs of this machine."""
    return os.cpu_count() or 1


def _machine_seconds() -> float:
    first = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    user, nice, system, _idle, _iowait, *rest = (int(ticks) for ticks in first)
    return (user + nice + system + sum(rest[:3])) / os.sysconf("SC_CLK_TCK")


def _our_seconds() -> float:
    """Return what this process, its children, and theirs, living or reaped, have used."""
    parents: dict[int, int] = {}
    used: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(fields[1])
            used[int(folder.name)] = sum(int(ticks) for ticks in fields[11:15])
    ours = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(used.get(pid, 0) for pid in ours) / os.sysconf("SC_CLK_TCK")


@dataclass
class Bystanders:
    """Measures what processes that are not ours take of the machine: the real node_exporter cannot tell them apart."""

    since: float = field(default_factory=time.monotonic)
    busy: float = field(default_factory=_machine_seconds)
    ours: float = field(default_factory=_our_seconds)

    @property
    def watched(self) -> float:
        """Return for how many seconds they have been watched."""
        return time.monotonic() - self.since

    def share(self) -> float:
        """Return their share of all CPUs since this was made."""
        passed = self.watched * cpus()
        return max(0.0, (_machine_seconds() - self.busy) - (_our_seconds() - self.ours)) / passed
