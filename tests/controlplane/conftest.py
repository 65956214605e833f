"""A stand-in for the Go toolchain: it answers `go version` and writes the files that `go build` is asked for."""

from collections.abc import Callable
from pathlib import Path

import pytest

MakeGo = Callable[..., Path]

_SCRIPT = """#!/bin/sh
if [ "$1" = version ]; then echo "go version go{version} linux/amd64"; exit 0; fi
echo "$@" >> {calls}
for last; do :; done
if [ "$last" = "./cmd/{broken}" ]; then echo "{broken}: undefined symbol"; exit 1; fi
sleep {seconds}
while [ "$1" != "-o" ]; do shift; done
echo built > "$2"
"""


@pytest.fixture
def make_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeGo:
    """Put a `go` first on PATH; returns the file in which it records its build commands."""

    def make(*, version: str = "9.99.0", broken: str = "nothing", seconds: float = 0.0) -> Path:
        folder = tmp_path / "fake-go"
        folder.mkdir(exist_ok=True)
        calls = folder / "calls"
        script = folder / "go"
        script.write_text(_SCRIPT.format(version=version, broken=broken, seconds=seconds, calls=calls))
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        return calls

    return make
