"""Builds the two Go programs of the benchmarks once into the cache folder: the echo and the caller."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane import building, sources, toolchain

MODULE: Final = Path(__file__).with_name("go")
_PROGRAMS: Final = ("calls", "echo")


@dataclass(frozen=True, slots=True)
class GoPrograms:
    """A folder with both programs."""

    folder: Path

    @property
    def calls(self) -> str:
        """The caller."""
        return str(self.folder / "calls")

    @property
    def echo(self) -> str:
        """The echo."""
        return str(self.folder / "echo")


def ensure(cache: Path | None = None) -> GoPrograms:
    """Return the programs, building them first where they are not in the cache."""
    root = cache or building.cache_root()
    inputs = sources.read_inputs(MODULE)
    wanted = root / f"bench-{sources.build_key(inputs, _PROGRAMS)}"
    if not wanted.exists():
        root.mkdir(parents=True, exist_ok=True)
        _build(wanted, go=toolchain.find_go(sources.go_needed(inputs["go.mod"].decode()), cache=root, say=print))
    return GoPrograms(wanted)


def _build(wanted: Path, *, go: Path) -> None:
    unfinished = Path(tempfile.mkdtemp(prefix=".bench-", dir=wanted.parent))
    try:
        for name in _PROGRAMS:
            command = [str(go), "build", "-trimpath", "-buildvcs=false", "-o", str(unfinished / name), f"./cmd/{name}"]
            building.run_go(command, MODULE)
        if not wanted.exists():  # two builds at once make the same
            unfinished.rename(wanted)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
