"""Builds the programs once into the cache folder, whole or not at all, and says what it does meanwhile."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from controlplane import sources, toolchain

Say = Callable[[str], None]


class BuildError(RuntimeError):
    """A program could not be built; the message carries the end of the compiler's output."""


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder with every program of `sources.PROGRAMS`."""

    folder: Path

    def path(self, name: str) -> str:
        """Return the file of one program."""
        return str(self.folder / name)

    @property
    def complete(self) -> bool:
        """Whether every program is there."""
        return all((self.folder / source.name).exists() for source in sources.PROGRAMS)


def cache_root(environment: dict[str, str] | None = None) -> Path:
    """Return the folder for everything that is kept between runs."""
    variables = os.environ if environment is None else environment
    base = variables.get("XDG_CACHE_HOME") or str(Path(variables.get("HOME", "~")).expanduser() / ".cache")
    return Path(base) / "bayplan"


def current(cache: Path | None = None) -> Binaries:
    """Return where the programs of this checkout belong, built or not."""
    inputs = sources.read_inputs()
    flags = sources.link_flags(inputs["go.mod"].decode())
    return Binaries((cache or cache_root()) / sources.build_key(inputs, [flags, *map(repr, sources.PROGRAMS)]))


def ensure(say: Say = print, *, cache: Path | None = None) -> Binaries:
    """Return the programs, building them first where they are not in the cache."""
    root = cache or cache_root()
    wanted = current(root)
    if wanted.complete:
        return wanted
    root.mkdir(parents=True, exist_ok=True)
    with _only_builder(root / "build.lock", say):
        if not wanted.complete:
            _build_all(wanted.folder, root, say)
    return wanted


@contextlib.contextmanager
def _only_builder(lock: Path, say: Say) -> Iterator[None]:
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another run is building the control plane: waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build_all(folder: Path, cache: Path, say: Say) -> None:
    go_mod = (sources.MODULES / "go.mod").read_text()
    minutes = sum(source.seconds for source in sources.PROGRAMS) // 60
    say(f"building the control plane into {folder}: once, about {minutes} minutes on 2 cores with empty Go caches")
    go = toolchain.find_go(sources.go_needed(go_mod), cache=cache, say=say)
    unfinished = Path(tempfile.mkdtemp(prefix=".building-", dir=cache))
    try:
        for number, source in enumerate(sources.PROGRAMS, start=1):
            place = f"{number} of {len(sources.PROGRAMS)}"
            say(f"  {source.name} ({place}; takes about {source.seconds} s the first time)")
            command = sources.build_command(source, go=go, flags=sources.link_flags(go_mod), into=unfinished)
            began = time.monotonic()
            run_go(command, sources.MODULES / source.module)
            say(f"  {source.name} built in {time.monotonic() - began:.0f} s")
        shutil.rmtree(folder, ignore_errors=True)  # only ever an incomplete one
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def run_go(command: list[str], module: Path) -> None:
    """Run one `go build` in a module's folder.

    Raises:
        BuildError: it failed.
    """
    # GOTOOLCHAIN=local: the Go that was found builds, it does not fetch another one.
    environment = os.environ | {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    done = subprocess.run(
        command, cwd=module, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise BuildError(f"`{' '.join(command)}` in {module} ended with {done.returncode}:\n{done.stdout[-3000:]}")
