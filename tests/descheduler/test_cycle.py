"""Whole cycles on the in-memory cluster: from signal to eviction, landing, event, report and metric."""

import itertools
from typing import Any

import pytest

from policies.model.signals import Signals
from policies.values.records import Landing
from tests.builders import NOW
from tests.descheduler.cycles import hot
from tests.descheduler.scripted import ScriptedSignals
from tests.descheduler.site import Site
from tests.raw import raw_pod


def test_the_pod_that_takes_most_of_the_contested_resource_is_evicted() -> None:
    site = hot()

    (line,) = site.process().run().decisions

    assert site.evictions() == ["web-0"]
    assert (line.kind, line.rule, line.node, line.destination) == ("evicted", "buoyancy", "n1", "n2")
    assert site.records()["web-0"]["state"] == "Accepted"


def test_a_quiet_cluster_is_left_alone_and_costs_no_pod_query() -> None:
    site = hot()
    site.others["n1"] = 0.5

    result = site.process().run()

    assert (result.decisions, site.evictions(), site.signals.asked) == ((), [], ["history"])


def test_the_landing_is_found_by_a_later_run_and_told_on_the_workload() -> None:
    site = hot()
    process = site.process()
    process.run()

    process.run(after=20)
    early = site.records()["web-0"]["landing"]
    result = process.run(after=20)

    assert early == "Pending"
    status = site.records()["web-0"]
    assert (status["landing"], status["node"]) == ("Moved", "n2")
    assert [(record.pod, seen.landing) for record, seen in result.landed] == [("web-0", Landing.MOVED)]
    ((where, message),) = site.events("EvictionMoved")
    assert where == "Deployment/web"
    assert "eviction of default/web-0 from n1 (rule buoyancy): Moved; the replacement web-rs-" in message
    assert process.count("outcomes_total", rule="buoyancy", outcome="Moved") == 1


def test_before_and_after_are_measured_on_the_new_placement_only() -> None:
    site = hot()
    process = site.process()
    process.run()

    process.run(after=40)
    at_landing = site.records()["web-0"]["after"]
    process.run(after=60)

    status = site.records()["web-0"]
    assert at_landing == {}
    assert status["before"] == {"headroom": pytest.approx(-0.15)}
    assert status["after"] == {"headroom": pytest.approx(0.225)}


def test_fc_004_a_pod_that_comes_back_is_counted_as_returned_and_told() -> None:
    site = hot(coolDown={"initial": "5m", "max": "6h"})
    site.place = lambda _: "n1"
    process = site.process()
    process.run()

    process.run(after=20)

    assert site.records()["web-0"]["landing"] == "Returned"
    assert [where for where, _ in site.events("EvictionReturned")] == ["Deployment/web"]
    assert process.count("outcomes_total", rule="buoyancy", outcome="Returned") == 1


def test_a_pod_that_no_sample_shows_yet_counts_at_its_destination_with_what_its_workload_uses() -> None:
    site = Site()
    site.add("web", "n1", "rest", "rest")
    labels = {"app": "new", "pod-template-hash": "rs"}
    site.add("new", "rest", "rest", "n2", cpu=500, labels=labels)
    nodes = {"n1": 1.3, "n2": 0.1, "n3": 0.3, "rest": 0.2}
    pods = {"default/web-0": 1.2}
    site.signals = ScriptedSignals(nodes=nodes, pods_use=pods, workloads_use={"default/new": 6.0})
    site.policy = site.policy.model_copy(update={"signals": with_workloads(site.policy.signals)})
    just_bound: dict[str, Any] = {"labels": labels, "bound_at": NOW - 8, "created_at": NOW - 9}
    site.server.put(raw_pod("new-2", node="n2", workload="new", cpu=500, **just_bound))

    (line,) = site.process().run().decisions

    # 0.5 cores requested, six times as much used: n2 is at 0.85 and not at 0.225
    assert line.destination == "n3"
    assert "workloads cpu" in site.signals.asked


def with_workloads(signals: Signals) -> Signals:
    """Return the signals with a query for the use of workloads."""
    cpu = signals.resources["cpu"].model_copy(update={"workload": "workload_cpu"})
    return signals.model_copy(update={"resources": {"cpu": cpu}})


def test_a_soft_slo_breach_is_acted_upon_before_buoyancy() -> None:
    site = Site()
    site.add("web", "n1", "rest", "rest")
    breach = {"default/web-0": 0.3, "default/web-1": 0.1, "default/web-2": 0.1}
    nodes = {"n1": 0.8, "n2": 0.2, "n3": 0.2, "rest": 0.2}
    pods = dict.fromkeys(breach, 1.0)
    site.signals = ScriptedSignals(nodes=nodes, pods_use=pods, slos={"p99": breach})

    (line,) = site.process().run().decisions

    assert (line.kind, line.rule) == ("evicted", "soft-slo")
    assert site.evictions() == ["web-0"]
    assert site.records()["web-0"]["before"]["slack"] == pytest.approx(-0.5)


def test_pauses_between_cycles_do_not_matter_for_what_is_decided() -> None:
    decided = []
    for parts in ((90,), (30, 30, 30)):
        site = hot()
        process = site.process()
        for pause in itertools.chain((0,), parts):
            process.run(after=pause)
        decided.append((site.evictions(), site.records()["web-0"]["landing"]))

    assert decided[0] == decided[1]
