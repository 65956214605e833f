"""What the figures were taken on: processors, memory, kernel, versions, load."""

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Final

_PACKAGES: Final = ("flask", "gunicorn", "numpy", "orjson")


def load() -> str:
    """Return the load average of the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


def facts() -> dict[str, str]:
    """Return machine and versions in words."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return {
        "machine": f"{_processor()}, {os.cpu_count()} CPUs, {memory:.0f} GiB, Linux {platform.release()}",
        "versions": f"Python {platform.python_version()}, {packages}",
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()
