"""Readings through a child process: the same as without one, and no trouble of the child's is raised."""

import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Pipe
from typing import Any

import pytest

from extender import reading_child
from extender.reading_apart import Question, ReadingApart
from policies.model.dumping import dump
from policies.model.policy import Policy
from policies.model.prometheus import Prometheus
from policies.model.signals import ResourceSignal, Signals
from policies.values.nodes import Node
from sources.signals.reader import Inventory
from tests.builders import NOW, make_node
from tests.sources.http_fake import HttpFake, Reply, serve
from tests.sources.waiting import eventually

QUERY = "/api/v1/query"


def vector(**by_instance: float) -> Reply:
    result = [{"metric": {"instance": name}, "value": [NOW, str(value)]} for name, value in by_instance.items()]
    return Reply(body={"status": "success", "data": {"resultType": "vector", "result": result}})


class Scene:
    """A reading of one signal without an age, from a fake Prometheus."""

    def __init__(self, fake: HttpFake) -> None:
        self.fake = fake
        self.nodes: dict[str, Node] = {"n1": make_node("n1"), "n2": make_node("n2", addresses=("n2.example",))}
        signals = Signals(
            prometheus=Prometheus(url=fake.url, timeout=2.0), resources={"cpu": ResourceSignal(node="use")}
        )
        self.policy = Policy(api_version="bayplan.dev/v1alpha1", kind="Policy", signals=signals)
        self.reading = ReadingApart(self.policy, lambda: Inventory(nodes=self.nodes))

    def values(self, at: float = NOW) -> dict[str, float | None]:
        """Return what is read of each known node."""
        grid: Any = self.reading.latest(at).resources["cpu"].node
        return {name: grid.newest(name) for name in self.nodes}


@pytest.fixture
def scene() -> Iterator[Scene]:
    with serve(HttpFake()) as fake:
        made = Scene(fake)
        yield made
        made.reading.close()


def test_a_trouble_is_logged_once_by_the_parent_and_its_end_too(
    scene: Scene, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    refused = Reply(status=422, body={"status": "error", "errorType": "execution", "error": "many-to-many"})
    scene.fake.script(QUERY, refused, refused, vector(n1=0.5))
    caplog.set_level("INFO")

    for _ in range(3):
        scene.reading.latest(NOW)

    lines = [record.getMessage() for record in caplog.records]
    assert [line.partition(":")[0] for line in lines] == ["signal cpu.node", "signal cpu.node"]
    assert "many-to-many" in lines[0]
    assert lines[1] == "signal cpu.node: usable again"
    assert capfd.readouterr().err == ""


def test_values_are_read_by_name_and_by_address(scene: Scene) -> None:
    scene.fake.script(QUERY, vector(**{"n1": 0.5, "n2.example": 0.25, "stranger": 0.9}))

    assert scene.values() == {"n1": 0.5, "n2": 0.25}


def test_nodes_that_come_later_are_read_too(scene: Scene) -> None:
    scene.fake.script(QUERY, vector(n1=0.5, n3=0.75))
    scene.values()

    scene.nodes = {"n3": make_node("n3")}

    assert scene.values() == {"n3": 0.75}


def test_a_failing_query_is_told_and_not_raised(scene: Scene) -> None:
    scene.fake.script(QUERY, Reply(status=503, body=b"down"))

    history = scene.reading.latest(NOW)

    assert history.resources["cpu"].node.objects == ()
    assert "503" in history.failures["cpu.node"]


def test_a_child_that_died_is_replaced(scene: Scene) -> None:
    scene.fake.script(QUERY, vector(n1=0.5))
    scene.values()
    child = scene.reading._child
    assert child is not None

    child._process.kill()
    child._process.wait()
    missed = scene.reading.latest(NOW)

    assert missed.failures["reading"].startswith("the child was ended and is started again")
    assert missed.times.tolist() == [NOW]
    assert scene.values()["n1"] == 0.5


def test_a_child_that_is_late_is_ended(scene: Scene) -> None:
    scene.fake.script(QUERY, vector(n1=0.5))
    scene.values()
    scene.fake.script(QUERY, Reply(wait=1.5))
    scene.reading._patience = 0.1

    missed = scene.reading.latest(NOW)

    assert missed.failures["reading"].endswith("no answer within 0 s")
    assert scene.reading._child is None


def test_once_closed_the_child_is_gone_and_nothing_is_read(scene: Scene) -> None:
    scene.fake.script(QUERY, vector(n1=0.5))
    scene.values()
    child = scene.reading._child
    assert child is not None

    began = time.monotonic()
    scene.reading.close()

    assert child._process.poll() is not None
    assert time.monotonic() - began < 3
    assert scene.reading.latest(NOW).failures == {"reading": "the readings were closed"}


def test_closing_waits_for_no_answer_that_is_late(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    scene.fake.script(QUERY, vector(n1=0.5))
    scene.values()
    asked = len(scene.fake.asked)
    scene.fake.script(QUERY, Reply(wait=1.9))
    waiting = threading.Thread(target=scene.reading.latest, args=(NOW,))
    waiting.start()
    eventually(lambda: len(scene.fake.asked) > asked)

    began = time.monotonic()
    scene.reading.close()
    waiting.join()

    assert time.monotonic() - began < 1.7
    assert not caplog.records


def test_the_child_answers_until_its_line_is_closed(scene: Scene) -> None:
    scene.fake.script(QUERY, vector(n1=0.5))
    ours, theirs = Pipe()
    child = threading.Thread(target=reading_child.serve, args=(theirs,))
    child.start()

    ours.send(dump(scene.policy))
    ours.send(Question(NOW, {"n1": ()}))
    first = ours.recv()
    ours.send(Question(NOW))
    second = ours.recv()
    ours.close()
    child.join(20)

    assert first.resources["cpu"].node.newest("n1") == second.resources["cpu"].node.newest("n1") == 0.5
    assert not child.is_alive()
