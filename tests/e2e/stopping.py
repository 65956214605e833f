"""Whether a process of ours has stopped itself, or is gone, as the kernel says."""

from pathlib import Path

from controlplane.processes import Program
from controlplane.waiting import wait_until


def wait_stopped(program: Program) -> None:
    """Wait until a program has stopped itself: who lets it go on before that lets it stand for ever."""
    wait_until(lambda: stopped(program.pid), f"{program.command.name} to stop itself", timeout=40, seen=program.tail)


def stopped(process: int) -> bool:
    """Return whether a process was stopped by a signal and waits to be continued."""
    return _state(process) == "T"


def ended(process: int) -> bool:
    """Return whether a process is gone, or waits for nothing but to be reaped."""
    return _state(process) in {"", "Z", "X"}


def _state(process: int) -> str:
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return ""
    return status.rpartition(")")[2].split()[0]
