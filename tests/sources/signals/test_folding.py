"""Folding with a real child process that asks a real HTTP server."""

import io
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from policies.buoyancy.standing import NO_SLACKS, NodeSlacks
from policies.model.buoyancy import Buoyancy
from policies.model.policy import Policy
from policies.model.prometheus import Prometheus
from policies.model.scope import Selector
from policies.model.signals import Signals
from policies.model.slos import Slo
from policies.values.pods import Phase, Pod
from simulator.clock import ManualClock
from sources.prometheus.errors import QueryRefused
from sources.signals import frames
from sources.signals.folding import SlackFolder
from sources.signals.folding_child import Folder, serve
from tests.builders import make_pod
from tests.sources.http_fake import HttpFake, Reply
from tests.sources.signals.source_fake import AT, FakeSource
from tests.sources.waiting import eventually

QUERY = "/api/v1/query"
WEB = Selector(match_labels={"app": "web"})
Folding = Callable[..., SlackFolder]


def slo(**changes: Any) -> Slo:
    return Slo(**({"name": "p99", "selector": WEB, "indicator": "slow", "at_most": 1.0, "window": 0.0} | changes))


def policy_with(*slos: Slo, url: str = "http://127.0.0.1:1", **changes: Any) -> Policy:
    signals = Signals(prometheus=Prometheus(url=url, timeout=1.0), step=1.0, stale_after=5.0)
    return Policy(api_version="bayplan.dev/v1alpha1", kind="Policy", signals=signals, slos=slos, **changes)


def pod(name: str, node: str | None = "n1", **changes: Any) -> Pod:
    return make_pod(name, node=node, namespace="shop", **({"ready_since": 0.0} | changes))


def answer(**values: float) -> Reply:
    result = [
        {"metric": {"namespace": "shop", "pod": name}, "value": [1, str(value)]} for name, value in values.items()
    ]
    return Reply(body={"status": "success", "data": {"resultType": "vector", "result": result}})


@pytest.fixture
def pods() -> list[Pod]:
    return [pod("a"), pod("b"), pod("c", "n2")]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def folding(server: HttpFake, pods: list[Pod], clock: ManualClock) -> Iterator[Folding]:
    opened: list[SlackFolder] = []

    def open_folder(*slos: Slo, **settings: Any) -> SlackFolder:
        folder = SlackFolder(policy_with(*slos, url=server.url), lambda: pods, clock=clock, **settings)
        opened.append(folder)
        return folder

    yield open_folder
    for folder in opened:
        folder._end_child()


def test_least_slack_of_each_node_comes_back(folding: Folding, server: HttpFake) -> None:
    server.script(QUERY, answer(a=0.5, b=1.5, c=0.25, stranger=9.0))
    folder = folding(slo())

    folder.fold()

    assert folder.newest() == NodeSlacks(any={"n1": -0.5, "n2": 0.75}, verified={})
    assert folder.failures() == {}


def test_age_beside_the_indicator_verifies(folding: Folding, server: HttpFake) -> None:
    server.script(QUERY, answer(a=1.0, c=9.0), answer(a=0.5, c=0.25))
    folder = folding(slo(age="slow_age"))

    folder.fold()

    assert [asked.query["query"] for asked in server.asked] == ["slow_age", "slow"]
    assert folder.newest() == NodeSlacks(any={"n1": 0.5}, verified={"n1": 0.5})


def test_child_follows_pods_that_come_move_and_go(
    folding: Folding, server: HttpFake, pods: list[Pod], clock: ManualClock
) -> None:
    server.script(QUERY, answer(a=0.5, b=0.5, c=0.5, d=0.5))
    folder = folding(slo())
    folder.fold()
    pods[:] = [pod("a", "n3"), pod("d", "n4")]
    clock.advance(1)

    folder.fold()

    assert folder.newest().any == {"n3": 0.5, "n4": 0.5}


def test_only_running_pods_that_the_objective_is_about_are_measured(
    folding: Folding, server: HttpFake, pods: list[Pod]
) -> None:
    pods += [
        pod("other", "n5", labels={"app": "other"}),
        pod("pending", None),
        pod("ended", "n6", phase=Phase.SUCCEEDED),
        pod("unready", "n7", ready_since=None),
    ]
    server.script(QUERY, answer(a=0.5, other=9.0, pending=9.0, ended=9.0, unready=9.0))
    folder = folding(slo())

    folder.fold()

    assert folder.newest().any == {"n1": 0.5}


def test_failing_query_is_named_and_recovers(folding: Folding, server: HttpFake, clock: ManualClock) -> None:
    server.script(QUERY, Reply(status=400, body={"error": "parse error"}), answer(a=0.5))
    folder = folding(slo())

    folder.fold()
    assert folder.failures() == {"slo/p99": "HTTP 400: parse error"}
    assert folder.newest().any == {}
    clock.advance(1)
    folder.fold()

    assert folder.failures() == {}
    assert folder.newest().any == {"n1": 0.5}


def test_child_that_dies_is_replaced_and_told_everything_again(
    folding: Folding, server: HttpFake, clock: ManualClock
) -> None:
    server.script(QUERY, answer(a=0.5))
    folder = folding(slo())
    folder.fold()
    assert folder._child is not None
    os.kill(folder._child._process.pid, signal.SIGKILL)
    clock.advance(1)

    folder.fold()
    assert "the child was ended and is started again" in folder.failures()["slack folding"]
    folder.fold()

    assert folder.newest().any == {"n1": 0.5}
    assert folder.failures() == {}


def test_child_that_is_stuck_is_killed(folding: Folding, server: HttpFake) -> None:
    server.script(QUERY, answer(a=0.5))
    folder = folding(slo(), decoding=5.0)
    folder.fold()
    assert folder._child is not None
    folder._child._patience = 0.3
    process = folder._child._process
    os.kill(process.pid, signal.SIGSTOP)
    began = time.monotonic()

    folder.fold()

    assert time.monotonic() - began < 3
    assert process.returncode == -signal.SIGKILL
    assert "started again" in folder.failures()["slack folding"]


def test_answer_that_is_too_old_means_nothing(folding: Folding, server: HttpFake, clock: ManualClock) -> None:
    server.script(QUERY, answer(a=0.5))
    folder = folding(slo())
    assert folder.newest() == NO_SLACKS
    folder.fold()

    clock.advance(6)
    assert folder.newest().any == {"n1": 0.5}
    clock.advance(0.5)
    assert folder.newest() == NO_SLACKS


def test_run_folds_until_told_to_stop_and_ends_the_child(folding: Folding, server: HttpFake) -> None:
    server.script(QUERY, answer(a=0.5))
    folder = folding(slo())
    stop = threading.Event()
    thread = threading.Thread(target=folder.run, args=(stop,))
    thread.start()

    eventually(lambda: folder.newest().any, within=20)
    assert folder._child is not None
    process = folder._child._process
    stop.set()
    thread.join(20)

    assert process.returncode is not None
    assert not thread.is_alive()


@pytest.mark.parametrize(
    "policy",
    [
        policy_with(),
        policy_with(slo(per="workload")),
        policy_with(slo(), buoyancy=Buoyancy(include_slack="off")),
    ],
    ids=["no objective", "by workload only", "slack not included"],
)
def test_without_need_there_is_no_child(policy: Policy) -> None:
    folder = SlackFolder(policy, list)
    stop = threading.Event()
    stop.set()

    folder.run(stop)

    assert folder._child is None
    assert folder.newest() == NO_SLACKS


def test_child_answers_over_pipes_until_its_input_ends() -> None:
    source = FakeSource(slow=[({"namespace": "shop", "pod": "a"}, 0.5)], slow2=QueryRefused(400, "bad"))
    folder = Folder(policy_with(slo(), slo(name="two", indicator="slow2", age="slow2")), source)
    incoming, outgoing = io.BytesIO(), io.BytesIO()
    for message in (
        {"pods": [[0, "shop/a", "n1", 0.0], [1, "shop/a", "n1", 0.0], [0, "shop/b", "n2", None]]},
        {"gone": [[0, "shop/b"]]},
        {"fold": AT},
    ):
        frames.write(incoming, message)
    incoming.seek(0)

    serve(folder, incoming, outgoing)

    outgoing.seek(0)
    assert frames.read(outgoing) == {
        "any": {"n1": 0.5},
        "verified": {},
        "failures": {"slo/two": "HTTP 400: bad", "slo/two.age": "HTTP 400: bad"},
    }


def test_child_names_series_it_cannot_use() -> None:
    source = FakeSource(slow=[({"host": "x"}, 0.5)])
    folder = Folder(policy_with(slo()), source)

    assert folder.fold(AT)["failures"]["slo/p99"].startswith("1 of 1 series do not say their pod")


def test_closed_pipes_are_told() -> None:
    closed = io.BytesIO()
    closed.close()

    with pytest.raises(frames.Closed):
        frames.write(closed, {})
    with pytest.raises(frames.Closed):
        frames.read(closed)
    with pytest.raises(frames.Closed, match="end of the pipe"):
        frames.read(io.BytesIO(b"\x05\x00\x00\x00ab"))
    with pytest.raises(frames.Closed, match="sent no message"):
        frames.read(io.BytesIO(b"\x02\x00\x00\x00{["))
