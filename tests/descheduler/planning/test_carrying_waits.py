"""Plans that wait for their pods: what never comes, hangs, is scaled away or rolled out."""

from policies.values.plans import PlanPhase
from tests.descheduler.planning.site import paper
from tests.descheduler.planning.under_way import MERGE, in_phase, released, started


def test_pod_that_hangs_in_termination_times_out() -> None:
    site = paper()
    raw = site.server.find("pods", "pod3-0")
    assert raw is not None
    site.server.put(raw | {"metadata": raw["metadata"] | {"finalizers": ["test/hangs"]}})
    process = started(site)

    result = process.attempt()

    assert (result.outcome, result.detail) == ("TimedOut", "still terminating: default/pod3-0")
    called = site.server.calls.of("create", "pods/eviction")[0].at
    assert 55 <= (site.plan().finished_at or 0) - called <= 65
    released(site)


def test_pods_that_are_not_bound_in_time_time_out() -> None:
    site = paper()
    process = started(site)
    in_phase(site, PlanPhase.EVICTING, lambda: setattr(site.scheduler, "paused", True))

    result = process.attempt()

    assert result.outcome == "TimedOut"
    assert "pods of ReplicaSet default/pod4-rs on n2: 0 of 1" in result.detail
    released(site)


def test_rollout_of_a_planned_workload_aborts() -> None:
    site = paper()
    process = started(site)

    def roll() -> None:
        path = "/apis/apps/v1/namespaces/default/deployments/pod3"
        change = {"spec": {"template": {"metadata": {"annotations": {"test/rolled": "yes"}}}}}
        site.server.request("PATCH", path, body=change, content_type=MERGE)

    in_phase(site, PlanPhase.EVICTING, roll)

    assert process.attempt().outcome == "Aborted"
    assert "pod3" in site.plan().reason
    released(site)


def test_workload_that_is_scaled_away_completes_the_plan() -> None:
    site = paper()
    process = started(site)

    def scale() -> None:
        site.server.request(
            "PATCH", "/apis/apps/v1/namespaces/default/deployments/pod3",
            body={"spec": {"replicas": 0}}, content_type=MERGE,
        )  # fmt: skip

    in_phase(site, PlanPhase.INSTALLING, lambda: setattr(site.scheduler, "paused", True))
    in_phase(site, PlanPhase.EVICTING, scale)
    site.clock.call_after(20, lambda: setattr(site.scheduler, "paused", False))

    assert process.attempt().outcome == "Completed"
    released(site)


def test_node_that_vanishes_aborts() -> None:
    site = paper()
    process = started(site)
    in_phase(site, PlanPhase.EVICTING, lambda: site.server.remove("nodes", "n2"))

    assert process.attempt().outcome == "Aborted"
    assert "n2" in site.plan().reason
    released(site)
