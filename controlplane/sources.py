"""What is built from `binaries/`: programs, Go packages, flags and the key of one build; runs nothing."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

MODULES = Path(__file__).with_name("binaries")
_KUBERNETES = re.compile(r"^\s*k8s\.io/kubernetes (v(\d+)\.(\d+)\.\S+)", re.MULTILINE)
_GO = re.compile(r"^go (\d+)\.(\d+)(?:\.(\d+))?", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One program: its module's folder below `binaries/` and how long a first build takes on 2 cores, in seconds."""

    name: str
    module: str = "."
    seconds: int


# In this order: what is built first warms the cache for the rest.
PROGRAMS = (
    Source(name="etcd", seconds=40),
    Source(name="kube-apiserver", seconds=240),
    Source(name="kube-scheduler", seconds=50),
    Source(name="kube-controller-manager", seconds=50),
    Source(name="kubectl", seconds=20),
    Source(name="kwok", module="kwok", seconds=200),
)


def go_needed(go_mod: str) -> tuple[int, int, int]:
    """Return the Go version that a go.mod asks for."""
    match = _GO.search(go_mod)
    if match is None:
        raise ValueError("go.mod has no line `go 1.N.P`, so the Go version it needs is not known")
    return int(match[1]), int(match[2]), int(match[3] or 0)


def link_flags(go_mod: str) -> str:
    """Return the linker flags: no symbols, and the version that the servers report (without it they say v0.0.0)."""
    match = _KUBERNETES.search(go_mod)
    if match is None:
        raise ValueError("go.mod does not require k8s.io/kubernetes at a version v1.N.P")
    package = "k8s.io/component-base/version"
    values = {"gitVersion": match[1], "gitMajor": match[2], "gitMinor": match[3]}
    return " ".join(["-s", "-w", *(f"-X {package}.{name}={value}" for name, value in values.items())])


def build_command(source: Source, *, go: Path, flags: str, into: Path) -> list[str]:
    """Return the command that builds one program; it runs in the folder of the program's module."""
    fixed = ["build", "-trimpath", "-buildvcs=false", "-ldflags", flags]
    return [str(go), *fixed, "-o", str(into / source.name), f"./cmd/{source.name}"]


def build_key(files: Mapping[str, bytes], flags: Iterable[str]) -> str:
    """Return the key of a build: it changes with every file and flag that goes into the programs."""
    digest = hashlib.sha256()
    for part in (*(name.encode() + b"\0" + files[name] for name in sorted(files)), *(flag.encode() for flag in flags)):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:16]


def read_inputs(root: Path = MODULES) -> dict[str, bytes]:
    """Return every file that goes into the programs: both go.mod, both go.sum and all main.go, by relative name."""
    paths = [path for pattern in ("go.mod", "go.sum", "main.go") for path in root.rglob(pattern)]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
