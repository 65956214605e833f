"""Field cases about a whole process, or about goals that Bayplan does not have: for those nobody is evicted."""

from typing import Any

import pytest

from descheduler.decisions import Kind
from policies.model.policy import Policy
from policies.values.pods import Phase
from tests.builders import NOW
from tests.descheduler.builders import make_policy
from tests.descheduler.cycles import hot, refusals
from tests.descheduler.site import CPU, Process, Site, policy
from tests.raw import raw_pdb, raw_pod

HOUR = 3600.0


def run_for(process: Process, hours: float) -> list[str]:
    """Run a cycle each quarter of an hour and return who was evicted."""
    for _ in range(int(hours * 4)):
        process.run(after=HOUR / 4)
    return process.site.evictions()


def calm(demand: float = 0.2) -> Site:
    """Return a cluster in which nothing is contended."""
    return Site(demands={"app": demand})


def test_fc_008_soft_spread_is_no_reason_to_move_anybody() -> None:
    site = calm()
    site.add("app", "n1", "n1", "n1")
    soft = {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}
    spread = {"topologySpreadConstraints": [soft | {"labelSelector": {"matchLabels": {"app": "app"}}}]}
    for at in range(3):
        site.edit("pods", f"app-{at}", {"spec": spread})
    for name in ("n2", "n3"):
        site.edit("nodes", name, {"metadata": {"labels": {"topology.kubernetes.io/zone": "b"}}})

    assert run_for(site.process(), 8) == []


@pytest.mark.parametrize("demand", [0.1, 0.7])
def test_fc_015_a_node_that_could_be_emptied_is_left_as_it_is(demand: float) -> None:
    site = calm(demand)
    site.add("app", "n1", "n1", "n1", "n1", cpu=900)

    assert run_for(site.process(), 2) == []


def test_fc_020_no_node_is_packed_and_none_is_emptied() -> None:
    site = calm()
    site.demands |= {"p": 0.2, "filler": 0.2}
    site.add("p", "n1", "rest", "rest", cpu=500)
    for node, cpu in (("n1", 1900), ("n2", 1200), ("n3", 3800)):
        site.server.put(raw_pod(f"filler-{node}", node=node, workload="filler", cpu=cpu))

    assert run_for(site.process(), 2) == []


def broken(policy_word: str) -> Site:
    """Return three replicas, two of them in CrashLoopBackOff, under a PDB that their failure has used up."""
    site = calm()
    site.add("app", "n1", "n2", "n3")
    waiting = {"name": "main", "restartCount": 90, "ready": False, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}
    for at in (0, 1):
        conditions = [{"type": "Ready", "status": "False", "lastTransitionTime": "2027-01-15T07:00:00Z"}]
        site.edit("pods", f"app-{at}", {"status": {"conditions": conditions, "containerStatuses": [waiting]}})
    spec = {"minAvailable": None, "maxUnavailable": "20%", "unhealthyPodEvictionPolicy": policy_word}
    site.server.put(raw_pdb("app", app="app", spec=spec))
    return site


@pytest.mark.parametrize("policy_word", ["IfHealthyBudget", "AlwaysAllow"])
def test_fc_027_that_pods_are_broken_evicts_nobody_and_nothing_is_deleted(policy_word: str) -> None:
    site = broken(policy_word)

    assert run_for(site.process(), 2) == []
    assert site.server.calls.of("delete*", "pods") == []


def test_fc_029_a_single_replica_stays_and_its_workload_is_not_touched() -> None:
    site = Site(policy=policy(), demands={"solo": 1.5, "pair": 1.0}, others={"n1": 2.1})
    site.add("solo", "n1")
    site.add("pair", "n1", "rest")
    process = site.process()

    assert refusals(process) == {"solo-0": "ready-floor", "pair-0": "ready-floor"}
    assert not [call for call in site.server.calls if call.verb != "list" and call.resource == "deployments"]


@pytest.mark.parametrize("value", ["true", "false", "no", ""])
def test_fc_035_the_annotation_of_another_descheduler_protects_whatever_it_says(value: str) -> None:
    site = hot()
    site.edit("pods", "web-0", {"metadata": {"annotations": {"descheduler.alpha.kubernetes.io/evict": value}}})
    process = site.process()

    assert refusals(process) == {"web-0": "veto"}
    assert site.evictions() == ["api-0"]
    (told,) = [message for where, message in site.events("EvictionRefused") if where == "Pod/web-0"]
    assert f"descheduler.alpha.kubernetes.io/evict={value!r}" in told


def test_fc_040_a_policy_that_selects_batch_pods_moves_no_others() -> None:
    site = hot()
    scope = {"podSelector": {"matchLabels": {"tier": "batch"}}}
    site.policy = make_policy(
        signals={"resources": {"cpu": CPU}},
        scope=scope,
        eviction={"mode": "enforce", "coolDown": {"initial": "1s", "max": "1s"}},
    )
    site.edit("pods", "api-0", {"metadata": {"labels": {"tier": "batch"}}})

    assert refusals(site.process()) == {"web-0": "scope"}
    assert site.evictions() == ["api-0"]


def shipped(**eviction: Any) -> Policy:
    """Return a policy with every default but the mode."""
    return make_policy(signals={"resources": {"cpu": CPU}}, eviction={"mode": "enforce"} | eviction)


def test_fc_043_by_default_a_minute_of_heat_moves_nobody_and_ten_minutes_one() -> None:
    site = hot()
    site.policy = shipped()
    others = site.others
    process = site.process()
    hot_now = site.measured()

    def since(seconds: float) -> None:
        began = site.clock.now() - seconds
        hot_now.nodes = {**hot_now.nodes, "n1": lambda time: 1.15 if time >= began else 0.5}
        site.demands, site.signals, site.others = {}, hot_now, others

    since(60)
    early = process.run().decisions
    since(600)
    late = process.run(after=15).decisions

    assert early == ()
    assert [line.kind for line in late] == [Kind.EVICTED]
    assert site.evictions() == ["web-0"]


def test_fc_064_a_pod_that_waits_on_a_dead_node_is_left_alone() -> None:
    site = hot()
    site.server.put(raw_pod("stuck", node="n3", phase=Phase.PENDING, ready=False, bound_at=NOW - 1560))
    site.edit("nodes", "n3", {"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}})
    site.demands["stuck"] = 0.0
    process = site.process()

    process.run()

    assert site.evictions() == ["web-0"]
    (record,) = site.server.all("evictionrecords")
    assert record["spec"]["destination"] == "n2"


def test_fc_065_a_selector_that_matches_nobody_is_named_for_everybody() -> None:
    site = hot()
    scope = {"podSelector": {"matchLabels": {"tier": "nobody"}}}
    site.policy = make_policy(signals={"resources": {"cpu": CPU}}, scope=scope, eviction={"mode": "enforce"})

    result = site.process().run()

    assert result.summary().startswith("0 of 2 evictable; mainly scope (2): default/web-0: ")
    assert site.evictions() == []
