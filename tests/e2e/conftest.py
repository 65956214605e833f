"""The shared control plane, exporter and Prometheus of the end-to-end tests.

Everything below this folder is marked `e2e` and left out unless that is asked for (`-m e2e`, or `make e2e`), so that
the default run stays hermetic. One control plane serves all tests; each test has a scene of its own on it.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane import building, configs
from controlplane.clusters import ControlPlane, Options
from controlplane.exporter import Exporter
from controlplane.figures import Figures
from controlplane.node_figures import NodeFigures
from controlplane.observing import Observer
from controlplane.programs.prometheus import Prometheus, scrape
from tests.e2e.placing import Placing
from tests.e2e.planning import Planning, planning
from tests.e2e.scenes import Scene
from tests.e2e.services import Services, installed

HERE = Path(__file__).parent
# A wait inside a test ends with its own message long before this.
TEST_SECONDS = 180


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, and leave them out of runs that do not ask for them."""
    ours = [item for item in items if HERE in item.path.parents]
    for item in ours:
        item.add_marker("e2e")
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TEST_SECONDS))
    if "e2e" not in config.option.markexpr:
        config.hook.pytest_deselected(items=ours)
        items[:] = [item for item in items if item not in ours]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests measured (`record_property`), so that a run also tells by how much a bound was kept."""
    measured = [
        (report.nodeid.rpartition("::")[2], name, value)
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        for name, value in report.user_properties
    ]
    if measured:
        terminalreporter.section("measured")
        for test, name, value in measured:
            terminalreporter.line(f"{test}: {name} {value}")


@pytest.fixture(scope="session")
def binaries() -> building.Binaries:
    """The built programs. Building takes minutes, so it is not left to a test: `make build-control-plane` does it."""
    found = building.current()
    if not found.complete:
        pytest.fail(f"the control plane is not built ({found.folder} is missing): run `make build-control-plane`")
    return found


@pytest.fixture(scope="session")
def plane(binaries: building.Binaries) -> Iterator[ControlPlane]:
    """The shared control plane with a stock scheduler; E2E_KEEP=1 leaves its folder with all logs."""
    options = Options(scheduler=configs.without_extender(), keep=bool(os.environ.get("E2E_KEEP")))
    with ControlPlane(binaries, options) as started:
        yield started


@pytest.fixture
def scene(plane: ControlPlane) -> Iterator[Scene]:
    """A namespace of the test's own, and helpers to fill it."""
    made = Scene(plane)
    yield made
    made.close()


@pytest.fixture
def pod_observer(scene: Scene) -> Iterator[Observer]:
    """An observer of the scene's pods from the beginning of the test."""
    with scene.observe() as observer:
        yield observer


@pytest.fixture
def services(plane: ControlPlane) -> Iterator[Services]:
    """Bayplan's services as processes; what they wrote to the cluster is gone after the test."""
    with installed(plane) as made:
        yield made


@pytest.fixture(scope="session")
def exporter() -> Iterator[Exporter]:
    """The exporter that Prometheus scrapes each second."""
    with Exporter() as started:
        yield started


@pytest.fixture(scope="session")
def prometheus(plane: ControlPlane, exporter: Exporter) -> Iterator[Prometheus]:
    """A real Prometheus with a scrape interval of 1 s."""
    with Prometheus(plane.run, [scrape("figures", exporter.address)], interval="1s") as started:
        yield started


@pytest.fixture
def node_figures(exporter: Exporter) -> Iterator[NodeFigures]:
    """Figures of nodes and pods under their real metric names; gone after the test."""
    figures = Figures()
    exporter.put("figures", figures.exposition)
    yield NodeFigures(figures)
    exporter.remove("figures")


@pytest.fixture
def placing(scene: Scene, services: Services, prometheus: Prometheus, node_figures: NodeFigures) -> Iterator[Placing]:
    """The extender with a scheduler in front of it, both to be started by the test."""
    made = Placing(scene, services, prometheus, node_figures)
    yield made
    made.close()


@pytest.fixture
def plans(placing: Placing) -> Iterator[Planning]:
    """The pair on a scene of its own, to be started by the test; in the end an outsider judges what was evicted."""
    with planning(placing) as made:
        yield made
