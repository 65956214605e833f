"""The descheduler on a real control plane: a hot node, budgets over runs, killed and paused leaders."""

from collections.abc import Iterator

import pytest

from controlplane.node_figures import NodeFigures
from controlplane.programs.prometheus import Prometheus
from controlplane.waiting import never, wait_until
from launching.paths import REPORTS
from tests.e2e.descheduling import Descheduling, descheduling, rails
from tests.e2e.interrupted import INTERRUPTED
from tests.e2e.scenes import Scene
from tests.e2e.stopping import wait_stopped

ONE = [{"scope": "cluster", "max": 1, "window": "10m"}]


@pytest.fixture
def cluster(scene: Scene, prometheus: Prometheus, node_figures: NodeFigures) -> Iterator[Descheduling]:
    """A scene for deschedulers; no node is hot yet."""
    with descheduling(scene, prometheus, node_figures) as made:
        yield made


def pdb(app: str, *, at_least: int) -> dict[str, object]:
    """Return a PodDisruptionBudget."""
    spec = {"minAvailable": at_least, "selector": {"matchLabels": {"app": app}}}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": app}, "spec": spec}


def test_the_biggest_taker_of_a_hot_node_is_evicted_and_its_landing_recorded(cluster: Descheduling) -> None:
    node = cluster.crowd()
    victim = cluster.pod_on("big", node)
    cluster.heat(node)
    policy = cluster.policy(limits=ONE)

    first = cluster.once(policy)
    cluster.scene.wait_ready("big", 3)
    again = cluster.once(policy)

    assert (first.code, again.code) == (0, 0), first.log + again.log
    assert cluster.evicted() == [victim], first.log

    def landed() -> str:
        cluster.once(policy)
        return str(cluster.records()[victim]["landing"]).replace("Pending", "")

    wait_until(landed, "the landing to be found", timeout=60)
    status = cluster.records()[victim]
    assert (status["state"], status["landing"]) == ("Accepted", "Moved")
    assert status["node"] != node
    told = {event["involvedObject"]["kind"] for event in cluster.scene.events("Evicted")}
    assert told == {"Pod", "Deployment"}
    (report,) = cluster.scene.api.items(REPORTS)
    assert report["status"]["totals"]["evictions/buoyancy/evicted"] == 1
    assert report["status"]["totals"]["outcomes/buoyancy/Moved"] == 1


def test_a_pod_that_a_budget_protects_is_refused_by_name_and_the_next_one_goes(cluster: Descheduling) -> None:
    node = cluster.crowd()
    cluster.scene.create(pdb("big", at_least=3))
    cluster.heat(node)

    run = cluster.once(cluster.policy())

    assert rails(run) == {"big": "pdb"}, run.log
    assert [name.split("-")[0] for name in cluster.evicted()] == ["small"]
    assert "refused by pdb: " in run.log
    (event,) = cluster.scene.events("EvictionRefused")
    assert event["message"].startswith("not evicted (pdb): ")


def test_budgets_and_cool_downs_hold_over_single_runs_and_restarts(cluster: Descheduling) -> None:
    node = cluster.pair()
    cluster.heat(node)
    rested = cluster.policy()

    first = cluster.once(rested)
    cluster.scene.wait_ready("big", 4)
    cluster.heat(node)
    second = cluster.once(rested)
    with cluster.loop(rested) as loop:
        wait_until(
            lambda: " refused by cool-down: " in loop.program.tail(2000), "the same from a loop", seen=loop.program.tail
        )
        loop.program.kill()
    with cluster.loop(rested) as again:
        wait_until(
            lambda: " refused by cool-down: " in again.program.tail(2000),
            "the same after a restart",
            seen=again.program.tail,
        )
        again.program.stop()
    limited = cluster.once(cluster.policy(limits=ONE, coolDown={"initial": "0s", "max": "0s"}))

    assert set(rails(second).values()) == {"cool-down"}, first.log + second.log
    assert set(rails(limited).values()) == {"limits"}, limited.log
    assert len(cluster.evicted()) == 1


@pytest.mark.parametrize(("moment", "evicted"), [("kill-before", 0), ("kill-after", 1)])
def test_a_killed_run_is_counted_once_and_not_repeated(cluster: Descheduling, moment: str, evicted: int) -> None:
    node = cluster.crowd()
    victim = cluster.pod_on("big", node)
    cluster.heat(node)
    policy = cluster.policy(limits=ONE)

    killed = cluster.once(policy, launcher=(*INTERRUPTED, moment))
    cluster.heat(node)
    after = cluster.once(policy)

    assert killed.code == -9
    assert cluster.states() == {victim: "Intent"}
    assert len(cluster.evicted()) == evicted
    assert set(rails(after).values()) <= {"recorded", "limits"}, after.log
    assert after.code == 0


def test_of_two_processes_one_acts_and_the_other_takes_over(cluster: Descheduling) -> None:
    node = cluster.crowd()
    policy = cluster.policy(limits=ONE)

    with cluster.loop(policy) as first, cluster.loop(policy) as second:
        wait_until(lambda: cluster.leader() != "", "a leader", timeout=20)
        leader = cluster.leader()
        cluster.heat(node)
        wait_until(lambda: len(cluster.evicted()) == 1, "an eviction", timeout=30, seen=first.program.tail)
        ended, other = (first, second) if first.name == leader else (second, first)
        ended.program.stop()
        # in less than the 15 s for which a lease that was not freed would have to be left alone
        wait_until(lambda: cluster.leader() == other.name, "the other to lead", timeout=10, seen=other.program.tail)
        never(lambda: len(cluster.evicted()) > 1, "a second eviction", during=8)

    assert len(cluster.evicted()) == 1


def test_a_leader_paused_before_its_call_and_continued_after_a_takeover_evicts_nobody_twice(
    cluster: Descheduling,
) -> None:
    node = cluster.crowd()
    victim = cluster.pod_on("big", node)
    cluster.heat(node)
    policy = cluster.policy(limits=ONE)

    with cluster.loop(policy, launcher=(*INTERRUPTED, "stop-before")) as old:
        wait_until(lambda: cluster.states() == {victim: "Intent"}, "the intent", timeout=30, seen=old.program.tail)
        with cluster.loop(policy) as new:
            wait_stopped(old.program)
            wait_until(lambda: cluster.leader() == new.name, "the takeover", timeout=40, seen=new.program.tail)
            never(lambda: cluster.evicted() != [], "an eviction in its place", during=5)
            old.program.resume()
            wait_until(lambda: cluster.evicted() == [victim], "the late call", timeout=15, seen=old.program.tail)
            never(lambda: len(cluster.scene.evictions()) > 1, "another call", during=5)

    assert cluster.states() == {victim: "Accepted"}
