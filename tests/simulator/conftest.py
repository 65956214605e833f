"""A server on a clock of its own, for every test of the simulator."""

import pytest

from simulator.api_server import ApiServer
from simulator.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def api(clock: ManualClock) -> ApiServer:
    return ApiServer(clock)
