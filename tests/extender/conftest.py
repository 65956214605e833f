"""Fixtures of the extender's tests."""

import pytest

from simulator.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    """Return a clock that moves by hand."""
    return ManualClock()
