"""Which sources a policy opens, and that they are let go."""

from collections.abc import Callable

import pytest

from extender.opening import Opening, opener
from extender.polling import Sources
from extender.reading_apart import ReadingApart
from policies.model.buoyancy import Buoyancy
from policies.model.policy import Policy
from policies.model.scope import Selector
from policies.model.signals import Signals
from policies.model.slos import Slo
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from sources.metrics_server import MetricsServerReader
from sources.signals.folding import SlackFolder
from sources.signals.reader import Inventory
from sources.supervising import Health, TaskState
from tests.sources.waiting import eventually

SLO = Slo(name="p99", selector=Selector(), indicator="q", at_most=0.25)
Open = Callable[..., Sources]


@pytest.fixture
def health() -> Health:
    return Health()


@pytest.fixture
def open_sources(clock: ManualClock, health: Health) -> Open:
    def run(**sections: object) -> Sources:
        policy = Policy(api_version="bayplan.dev/v1alpha1", kind="Policy", **sections)
        opening = Opening(policy=policy, inventory=Inventory, pods=list, health=health, clock=clock)
        return opener(ApiServer(clock))(opening)

    return run


def test_prometheus_is_read_apart_and_without_objectives_nothing_is_folded(open_sources: Open) -> None:
    sources = open_sources()

    assert isinstance(sources.signals, ReadingApart)
    assert sources.slacks is None
    assert sources.troubles() == {}
    sources.close()


def test_with_objectives_slacks_are_folded_until_the_sources_are_closed(open_sources: Open, health: Health) -> None:
    sources = open_sources(slos=(SLO,))
    eventually(lambda: "slacks" in health.tasks())

    sources.close()

    assert isinstance(sources.slacks, SlackFolder)
    eventually(lambda: health.tasks()["slacks"].state is TaskState.STOPPED)


def test_slacks_that_no_score_takes_in_are_not_folded(open_sources: Open) -> None:
    sources = open_sources(slos=(SLO,), buoyancy=Buoyancy(include_slack="off"))

    assert sources.slacks is None
    sources.close()


def test_metrics_server_is_read_through_the_api(open_sources: Open) -> None:
    sources = open_sources(signals=Signals(source="metrics-server"))

    assert isinstance(sources.signals, MetricsServerReader)
    sources.close()
