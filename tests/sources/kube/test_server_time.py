"""The server's clock out of its Date headers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from sources.kube.server_time import ServerTime, TimedApi


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def test_without_an_answer_the_machines_clock_is_taken(clock: ManualClock) -> None:
    assert ServerTime(clock).now() == clock.now()
    assert not ServerTime(clock).known


def test_answers_of_a_skewed_server_set_the_offset(clock: ManualClock) -> None:
    server = ApiServer(clock)
    server.skew = -300.0
    server_time = ServerTime(clock)

    TimedApi(server, server_time).request("GET", "/api/v1/nodes")

    assert server_time.known
    assert server_time.now() == server.now()


def test_the_latest_moment_it_can_be_is_a_header_s_second_later(clock: ManualClock) -> None:
    server_time = ServerTime(clock)
    assert server_time.latest() == clock.now()

    server_time.observe(1000.0, sent=1.0, received=1.25)
    server_time.observe(1001.0, sent=1.5, received=1.75)  # so a second began within the last half second
    clock.advance(2)

    assert server_time.now() == 1001.25
    assert server_time.latest() == pytest.approx(1002.0, abs=0.001)


def test_setting_the_machines_clock_changes_nothing(clock: ManualClock) -> None:
    server_time = ServerTime(clock)
    server_time.observe(1000.0, sent=clock.monotonic(), received=clock.monotonic())

    clock.jump(3600)
    clock.advance(5)

    assert server_time.now() == 1005.0


def test_server_whose_clock_is_set_is_followed(clock: ManualClock) -> None:
    server_time = ServerTime(clock)
    server_time.observe(1000.0, sent=0.0, received=0.0)

    server_time.observe(500.0, sent=1.0, received=1.0)
    clock.advance(1)

    assert server_time.now() == 500.0


def test_passes_everything_on(clock: ManualClock) -> None:
    server = ApiServer(clock)
    timed = TimedApi(server, ServerTime(clock))
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "default"}}

    answer = timed.request("POST", "/api/v1/namespaces/default/configmaps", body=body)
    events = timed.stream("/api/v1/configmaps", query={"watch": "1"}, timeout=5)

    assert answer.status == 201
    assert next(iter(events))["type"] == "ADDED"


@given(
    st.floats(-1e6, 1e6),
    st.lists(st.tuples(st.floats(0.0, 30.0), st.floats(0.0, 0.5), st.floats(0.0, 1.0)), min_size=1, max_size=30),
)
def test_now_is_never_ahead_and_at_most_a_second_and_one_call_behind(
    offset: float, calls: list[tuple[float, float, float]]
) -> None:
    clock = ManualClock()
    server_time = ServerTime(clock)
    for pause, duration, part in calls:
        clock.advance(pause)
        sent = clock.monotonic()
        clock.advance(duration)
        answered_at = sent + part * duration
        server_time.observe(math.floor(offset + answered_at), sent=sent, received=clock.monotonic())

    truth = offset + clock.monotonic()
    assert truth - 1.5 - 1e-6 <= server_time.now() <= truth + 1e-6
