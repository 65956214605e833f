"""The preset cadvisor-resctrl-perf on replayed expositions: nothing here was measured on hardware.

`expositions/README.md` has what each node and pod does a second; the scores below follow from it and from the preset's
anchors (bandwidth 0 to 80 GB/s, misses 0.1 to 0.6). Of the preset only Prometheus' address is set.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from controlplane import objects
from controlplane.clusters import ControlPlane
from controlplane.exporter import Exporter
from controlplane.objects import NodeShape, PodShape
from controlplane.programs.prometheus import Prometheus, scrape
from controlplane.waiting import wait_until
from tests.e2e.replaying import Replay
from tests.e2e.scenes import Scene, is_ready
from tests.e2e.services import Services, installed, preset

LETTERS = "abcdef"
PODS = {
    "grinder": "a",
    "sitter": "a",
    "streamer": "b",
    "writer": "b",
    "shuffler": "c",
    "scanner": "c",
    "web": "d",
    "cron": "e",
}
# CPU, bandwidth and cache misses of each node.
NODES: dict[str, dict[str, float | None]] = {
    "a": {"cpu": 1.2, "memory-bandwidth": 0.2, "llc": 0.1},
    "b": {"cpu": 0.42, "memory-bandwidth": 1.05, "llc": 0.2},
    "c": {"cpu": 0.5, "memory-bandwidth": 0.5, "llc": 1.1},
    "d": {"cpu": 0.3, "memory-bandwidth": 0.1, "llc": 0.2},
    "e": {"cpu": 0.1, "memory-bandwidth": 0.05, "llc": 0.04},
    "f": {"cpu": 0.2, "memory-bandwidth": None, "llc": None},
}
# Half of the six names may be refused. The last node is known in part only: neutral is the calm nodes' lower median.
ANSWERS = {
    "a": ("refused", "cpu"),
    "b": ("refused", "memory-bandwidth"),
    "c": ("refused", "llc"),
    "d": ("feasible", "cpu"),
    "e": ("feasible", "cpu"),
    "f": ("feasible", "cpu"),
}
SCORES = {"d": 7, "e": 9, "f": 7}
# What the pods of the three nodes without headroom take: CPU, bandwidth, cache misses; ...
TAKES = {
    "grinder-0": {"cpu": 0.75, "memory-bandwidth": 0.175, "llc": 0.1},
    "sitter-0": {"cpu": 0.225, "memory-bandwidth": 0.0625, "llc": 0.1},
    "streamer-0": {"cpu": 0.26, "memory-bandwidth": 1.0, "llc": 0.2},
    "writer-0": {"cpu": 0.13, "memory-bandwidth": 0.3, "llc": 0.2},
    "shuffler-0": {"cpu": 0.325, "memory-bandwidth": 0.425, "llc": 1.2},
    "scanner-0": {"cpu": 0.16, "memory-bandwidth": 0.2, "llc": 0.8},
}
# ... and the order in which they would go.
ORDER = {"a": ["grinder-0", "sitter-0"], "b": ["streamer-0", "writer-0"], "c": ["shuffler-0", "scanner-0"]}
# Rates over the recording's first minutes, as many as it has series of them.
TOLD = {
    'count(rate(node_cpu_seconds_total{mode="idle"}[1m]))': 2 * len(LETTERS),
    'count(rate(container_perf_events_total{event="LLC-loads"}[1m]))': len(PODS),
}
# Timestamps of whole milliseconds, and windows that end between two samples.
CLOSE = 0.005


@dataclass(frozen=True)
class Played:
    """The scene that the recording is played for; `nodes` by their letter."""

    scene: Scene
    services: Services
    nodes: dict[str, str]
    policy: str


@pytest.fixture(scope="module")
def played(plane: ControlPlane) -> Iterator[Played]:
    """Nodes and pods as in the recording, and a Prometheus that has six minutes of it."""
    scene = Scene(plane)
    nodes = dict(zip(LETTERS, scene.nodes(len(LETTERS), NodeShape(cpu="2")), strict=True))
    for app, letter in PODS.items():
        fixed = {"nodeName": nodes[letter], "schedulerName": "bayplan-scheduler"}
        scene.create(objects.stateful_set(app, 1, PodShape(cpu="0", spec=fixed)))
    wait_until(lambda: [is_ready(pod) for pod in scene.pods()] == [True] * len(PODS), "all pods to be Ready")
    names = {f"node-{letter}": name for letter, name in nodes.items()} | {"recorded": scene.namespace}
    jobs = ("cadvisor", "node-exporter")
    with installed(plane) as services, Exporter() as exporter:
        for job in jobs:
            exporter.put(job, Replay(job, names=names, history=360).exposition)
        scrapes = [scrape(job, exporter.address, path=f"/metrics/{job}") for job in jobs]
        with Prometheus(plane.run, scrapes, interval="5s", name="prometheus-replay") as prometheus:
            wait_until(lambda: all(prometheus.value(query) == all_ for query, all_ in TOLD.items()), "the recording")
            policy = preset("cadvisor-resctrl-perf", signals={"prometheus": {"url": prometheus.url}})
            yield Played(scene, services, nodes, policy)
    scene.close()


def test_replayed_counters_give_the_expected_scores_and_answers(played: Played) -> None:
    scene = played.scene
    scene.create(objects.pod("asking", PodShape(scheduler="bayplan-scheduler")))

    with played.services.extender(played.policy) as extender:
        pod = f"{scene.namespace}/asking"
        d = played.nodes["d"]
        wait_until(lambda: extender.nodes(pod)[d]["confidence"] == "full", "the first poll", timeout=40)
        answers = extender.nodes(pod)

    found = {letter: answers[name] for letter, name in played.nodes.items()}
    for letter, expected in NODES.items():
        scores = {name: one["score"] for name, one in found[letter]["resources"].items()}
        assert scores == pytest.approx(expected, abs=CLOSE), letter
        known = [score for score in expected.values() if score is not None]
        assert found[letter]["headroom"] == pytest.approx(1 - max(known), abs=CLOSE), letter
    assert {letter: (one["verdict"], one["contested"]) for letter, one in found.items()} == ANSWERS
    assert {letter: found[letter]["score"] for letter in SCORES} == SCORES
    assert {letter: one["confidence"] for letter, one in found.items()} == dict.fromkeys("abcde", "full") | {
        "f": "partial"
    }


def test_replayed_counters_name_the_pod_that_takes_most_of_what_is_contested(played: Played) -> None:
    printed = played.services.once(played.policy)

    letters = {name: letter for letter, name in played.nodes.items()}
    order: dict[str, list[str]] = {letter: [] for letter in ORDER}
    for line in printed["decisions"]:
        name = line["pod"].partition("/")[2]
        order[letters[line["node"]]].append(name)
        takes = {key.removeprefix("pod."): one for key, one in line["evidence"].items() if key.startswith("pod.")}
        assert takes == pytest.approx(TAKES[name], abs=CLOSE), name
    assert order == ORDER, printed
    # Every workload has one pod only, and the preset is as it is shipped.
    assert {line["rail"] for line in printed["decisions"]} == {"ready-floor"}
