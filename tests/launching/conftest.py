"""Launches of a stand-in: a program with our services' command line and pages."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from controlplane.runs import Run
from launching.launches import Launch

STAND_IN = (sys.executable, "-I", str(Path(__file__).with_name("stand_in.py")))
MakeLaunch = Callable[..., Launch]


@pytest.fixture
def run() -> Iterator[Run]:
    """A run that ends with the test."""
    with Run() as made:
        yield made


@pytest.fixture
def launch(run: Run) -> MakeLaunch:
    """A launch of the stand-in as an extender, with the fields given."""

    def make(**fields: Any) -> Launch:
        given: dict[str, Any] = {"kind": "extender", "name": "ours", "policy": {}, "kubeconfig": Path("/etc/rights")}
        return Launch(run=run, **{"launcher": STAND_IN} | given | fields)

    return make
