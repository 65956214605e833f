"""Fixtures of the tests of plans."""

import pytest

from descheduler.planning.replicas import Replicas
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from tests.descheduler.planning.site import OWN


@pytest.fixture
def replicas(server: ApiServer, clock: ManualClock) -> Replicas:
    """The replicas of the extender as process `a` sees them."""
    return Replicas(server.connect("a"), namespace=OWN, clock=clock)
