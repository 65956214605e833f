"""Standings between two polls: pods come and go, values grow old, nodes become free."""

import threading

import numpy as np
import pytest

from extender.board import Board, Measured, Readings
from extender.census import Census
from extender.codec import Victims
from extender.rulings import Ruling, Rulings
from policies.model.policy import Policy
from policies.model.signals import ResourceSignal, Signals
from policies.placement.preempting import Sight
from policies.values.signals import SignalHistory
from policies.values.standings import Confidence
from tests.builders import NOW, make_node, make_pod, make_resources
from tests.policies.placement.measured import make_history

SIGNALS = Signals(
    resources={
        "cpu": ResourceSignal(node="q", age="q", workload="q", additive=True, rate_window=60.0),
        "llc": ResourceSignal(node="q", age="q"),
    }
)


class Scene:
    """A board over two nodes of 4 cores."""

    def __init__(self) -> None:
        policy = Policy(api_version="bayplan.dev/v1alpha1", kind="Policy", signals=SIGNALS)
        self.census = Census()
        self.freed = threading.Event()
        self.rulings = Rulings(Ruling.of(policy, digest="abc", own_namespace="bayplan-system"))
        self.board = Board(self.census, self.rulings, freed=self.freed)
        self.census.nodes.update({name: make_node(name) for name in ("n1", "n2")})

    def read(self, cpu: float, *, llc: float = 0.1, at: float = NOW) -> SignalHistory:
        """Take in a poll in which n1 has this use."""
        scores = {"n1": {"cpu": cpu, "llc": llc}, "n2": {"cpu": 0.2, "llc": 0.1}}
        history = make_history(scores, at=at)
        self.board.take(Readings(history=history), now=at)
        return history

    def bind(self, name: str, *, cpu: int, at: float) -> None:
        """Let a pod come to n1."""
        node = self.census.put(make_pod(name, bound_at=at, requests=make_resources(cpu=cpu)), now=at)
        assert node is not None
        self.board.turn(node)


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_before_the_first_poll_nothing_is_known(scene: Scene) -> None:
    scene.board.turn("n1")

    assert scene.board.standing("n1") is None
    assert scene.board.ratings.scores == {}
    assert scene.board.largest_loads() == {}
    assert scene.board.expires() == float("inf")


def test_a_poll_rates_every_node(scene: Scene) -> None:
    scene.read(0.95)

    assert scene.board.ratings.below == {"n1": pytest.approx(0.05)}
    assert scene.board.ratings.scores == {"n1": 1, "n2": 8}


def test_scores_are_kept_as_they_are_written(scene: Scene) -> None:
    scene.read(0.7)
    scene.bind("p", cpu=1500, at=NOW + 1)
    assert scene.board.ratings.scores == {"n1": 0, "n2": 8}
    assert scene.board.lines == {"n1": '{"Host":"n1","Score":0}', "n2": '{"Host":"n2","Score":8}'}

    scene.board.age(now=NOW + 100)
    assert scene.board.lines == {}


def test_fc_054_pods_that_were_just_bound_count_in_filter_and_score(scene: Scene) -> None:
    scene.read(0.7)

    for number in range(3):
        scene.bind(f"p{number}", cpu=500, at=NOW + 1)

    assert scene.board.ratings.below == {"n1": pytest.approx(-0.075)}
    assert scene.board.ratings.scores["n1"] == 0
    standing = scene.board.standing("n1")
    assert standing is not None
    assert standing.assumed == {"cpu": pytest.approx(0.375)}
    assert scene.board.largest_loads() == {"cpu": pytest.approx(0.375), "llc": 0.0}


def test_fc_054_a_sample_that_includes_them_ends_the_assumption(scene: Scene) -> None:
    scene.read(0.7)
    scene.bind("p", cpu=1500, at=NOW + 1)

    scene.read(0.9, at=NOW + 75)

    standing = scene.board.standing("n1")
    assert standing is not None
    assert standing.assumed == {}
    assert standing.headroom == pytest.approx(0.1)


def test_a_poll_that_does_not_show_them_yet_keeps_them(scene: Scene) -> None:
    scene.read(0.7)
    scene.bind("p", cpu=1500, at=NOW + 1)

    scene.read(0.7, at=NOW + 5)

    assert scene.board.ratings.below == {"n1": pytest.approx(-0.075)}


def test_a_node_that_becomes_free_is_told(scene: Scene) -> None:
    scene.read(0.95)
    assert not scene.freed.is_set()

    scene.read(0.5, at=NOW + 15)

    assert scene.freed.is_set()


def test_a_node_that_becomes_free_because_a_pod_ended_is_told(scene: Scene) -> None:
    scene.read(0.7)
    scene.bind("p", cpu=1500, at=NOW + 1)

    node = scene.census.remove("uid-p", now=NOW + 2)
    scene.board.turn(node or "")

    assert scene.freed.is_set()
    assert scene.board.ratings.below == {}


def test_a_congested_node_whose_signals_grow_old_is_unknown_and_free(scene: Scene) -> None:
    scene.read(0.95)
    assert scene.board.expires() == NOW + 50

    scene.board.age(now=NOW + 50.5)

    standing = scene.board.standing("n1")
    assert standing is not None
    assert standing.confidence is Confidence.UNKNOWN
    assert standing.absent == {"cpu": "stale", "llc": "stale"}
    assert scene.board.ratings.below == {}
    assert scene.freed.is_set()


def test_a_poll_that_failed_leaves_the_nodes_as_they_were_until_they_are_stale(scene: Scene) -> None:
    scene.read(0.95)
    failed = SignalHistory(times=np.array([NOW + 15]), step=15.0, failures={"reading": "the child was ended"})

    scene.board.take(Readings(history=failed), now=NOW + 15)
    assert scene.board.ratings.below.keys() == {"n1"}
    assert scene.board.readings.history.failures == {"reading": "the child was ended"}
    assert scene.board.expires() == NOW + 50

    scene.board.age(now=NOW + 51)
    assert scene.board.ratings.below == {}


def test_values_of_a_query_that_was_replaced_are_not_judged_by_its_successor(scene: Scene) -> None:
    scene.read(0.95)
    policy = scene.rulings.current.policy
    llc = SIGNALS.resources["llc"].model_copy(update={"full": 2.0})
    cores = SIGNALS.resources["cpu"].model_copy(update={"node": "cores"})
    signals = SIGNALS.model_copy(update={"resources": {"cpu": cores, "llc": llc}})
    changed = policy.model_copy(update={"signals": signals})
    scene.rulings.current = Ruling.of(changed, digest="def", own_namespace="bayplan-system")

    scene.board.follow(SIGNALS, now=NOW)

    standing = scene.board.standing("n1")
    assert standing is not None
    assert standing.absent == {"cpu": "missing"}
    assert standing.scores == {"llc": pytest.approx(0.05)}  # its anchors changed, its values did not
    assert scene.board.ratings.below == {}


def test_a_node_without_one_of_its_signals_scores_at_most_neutral(scene: Scene) -> None:
    scene.board.take(Readings(history=make_history({"n1": {"cpu": 0.5}, "n2": {"cpu": 0.1, "llc": 0.1}})), now=NOW)

    assert scene.board.ratings.capped == {"n1": 5}
    assert scene.board.ratings.scores == {"n2": 9}


def test_a_node_that_nobody_knows_has_no_standing(scene: Scene) -> None:
    scene.read(0.5)
    scene.board.turn("n9")

    assert scene.board.standing("n9") is None
    assert scene.board.measured("n9") == {"cpu": Measured(), "llc": Measured()}


def test_a_victims_share_is_its_request_by_the_ratio_of_its_workload(scene: Scene) -> None:
    pod = make_pod(bound_at=NOW - 3600, requests=make_resources(cpu=2000), priority=7)
    scene.census.put(pod, now=NOW)
    history = make_history({"n1": {"cpu": 0.9, "llc": 0.1}}, workloads={"default/web-rs": 1.0})
    scene.board.take(Readings(history=history), now=NOW)

    option = scene.board.option("n1", Victims((pod.uid, "gone"), 2, {}))

    assert option[:3] == ("n1", [7, None], 2)
    assert option.look() == Sight(scene.board.standing("n1"), {"cpu": 0.25})
    assert option.most() == 0.25
    assert scene.board.option("n1", Victims((pod.uid,), 0, {pod.uid: 3})).priorities == [3]
    assert scene.board.option("n9", Victims((pod.uid,), 0, {})).look() == Sight()


def test_before_the_first_poll_a_victim_has_no_share(scene: Scene) -> None:
    pod = make_pod(priority=7)
    scene.census.put(pod, now=NOW)

    option = scene.board.option("n1", Victims((pod.uid,), 0, {}))
    assert (option.priorities, option.look(), option.most()) == ([7], Sight(), 0.0)


def test_what_was_measured_is_told_with_its_age(scene: Scene) -> None:
    scene.read(0.95)

    assert scene.board.measured("n1") == {"cpu": Measured(0.95, 10.0), "llc": Measured(0.1, 10.0)}
    assert scene.board.current_history(now=NOW + 100).resources["cpu"].node.newest("n1") is None


def test_fc_053_a_burst_spreads_over_nodes_whose_metrics_lag(scene: Scene) -> None:
    """Twelve pods of half a core go, one after another, to the best of three nodes of 8 cores."""
    demand = {"n1": 1.0, "n2": 1.4, "n3": 1.4}
    scene.census.nodes.update({name: make_node(name, cpu=8000) for name in demand})
    scores = {name: {"cpu": cores / 8, "llc": 0.1} for name, cores in demand.items()}
    scene.board.take(Readings(history=make_history(scores)), now=NOW)

    for number in range(12):
        standings = {name: scene.board.standing(name) for name in demand}
        best = max(demand, key=lambda name: standings[name].headroom or 0.0)  # type: ignore[union-attr]  # all are known
        pod = make_pod(f"p{number}", node=best, bound_at=NOW + number / 2, requests=make_resources(cpu=500))
        scene.board.turn(scene.census.put(pod, now=NOW + number) or "")
        demand[best] += 0.5

    assert max(demand.values()) - min(demand.values()) <= 1.0
