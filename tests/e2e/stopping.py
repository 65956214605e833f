"""Whether a process of ours has stopped itself, or is gone, as the kernel says."""

from pathlib import Path


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
