"""Whole cycles on the in-memory cluster: from signal to eviction, landing, event, report and metric."""

import itertools
from collections.abc import Iterable
from typing import Any

import pytest

from descheduler.decisions import Kind
from policies.model.signals import Signals
from policies.values.records import Landing
from simulator.failures import Failure
from simulator.faults import Before, Fail, LostAnswer, Unconnected
from tests.builders import NOW
from tests.descheduler.scripted import ScriptedSignals
from tests.descheduler.site import OWN, Process, Site, policy
from tests.raw import raw_pdb, raw_pod

TEN_MINUTES = 600.0


def hot(**eviction: object) -> Site:
    """Return a cluster whose n1 has a demand of 4.6 of 4 cores, `web-0` taking the most; n2 and n3 are idle."""
    site = Site(policy=policy(**eviction), demands={"web": 1.5, "api": 1.0}, others={"n1": 2.1, "rest": -1.5})
    site.add("web", "n1", "rest", "rest")
    site.add("api", "n1", "rest", "rest")
    return site


def refusals(process: Process, *, after: float = 0.0) -> dict[str, str]:
    """Run a cycle and return the rail that refused each candidate."""
    lines = process.run(after=after).decisions
    return {line.pod.name: line.rail for line in lines if line.pod is not None and line.kind is Kind.REFUSED}


def most_within(times: Iterable[float], window: float) -> int:
    """Return the largest number of times inside any window."""
    ordered = sorted(times)
    return max((sum(start <= time < start + window for time in ordered) for start in ordered), default=0)


def eviction_times(site: Site) -> list[float]:
    """Return when eviction calls came in."""
    return [call.at for call in site.server.calls.of("create", "pods/eviction")]


# ---------------------------------------------------------------------- what happens


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


# ---------------------------------------------------------------------- fails closed


def test_stale_signals_evict_nobody_and_show_in_metrics() -> None:
    site = hot()
    process = site.process()
    site.measured()
    frozen, site.demands = site.signals, {}
    frozen.age = 300.0

    result = process.run()

    assert (result.decisions, site.evictions()) == ((), [])
    assert process.count("signal_objects", signal="cpu.node", state="stale") == 4
    assert process.count("signal_age_seconds", signal="cpu.node") == 300


def test_a_failing_query_evicts_nobody_and_is_named() -> None:
    site = hot()
    site.measured()
    site.demands = {}
    site.signals.failed = {"cpu.node": "HTTP 503 from prometheus"}
    process = site.process()

    result = process.run()

    assert (result.decisions, site.evictions()) == ((), [])
    assert result.troubles == {"signal/cpu.node": "HTTP 503 from prometheus"}
    assert process.count("signal_failed", signal="cpu.node") == 1


def test_a_source_without_any_evaluation_evicts_nobody() -> None:
    site = hot()
    site.demands = {}
    site.signals = ScriptedSignals(remembers=-15.0)

    result = site.process().run()

    assert result.troubles["signals"] == "the source gave no evaluation at all"
    assert site.evictions() == []


def test_without_history_every_candidate_is_refused() -> None:
    site = hot()
    site.measured()
    site.demands = {}
    site.signals.remembers = 30.0

    result = site.process().run()

    assert [line.rail for line in result.decisions] == ["no-history"]
    assert site.evictions() == []


def test_fc_037_pdbs_that_cannot_be_listed_are_unknown_not_absent() -> None:
    site = hot()
    site.server.put(raw_pdb("web", app="web"))
    process = site.process()
    denied = Fail(Failure(403, "Forbidden", "poddisruptionbudgets is forbidden"))
    site.server.faults.add(denied, method="GET", path="*/poddisruptionbudgets", times=float("inf"))

    result = process.run()

    assert site.evictions() == []
    assert result.summary().startswith(
        "0 of 2 evictable; mainly unreadable (2): poddisruptionbudgets could not be read"
    )
    assert process.count("unreadable", kind="poddisruptionbudgets") == 1
    assert process.count("refusals_total", rail="unreadable", rule="buoyancy") == 2
    assert {where for where, _ in site.events("EvictionRefused")} == {"Pod/web-0", "Pod/api-0"}
    site.server.faults.clear()
    process.run(after=15)
    assert site.evictions() == ["web-0"]
    assert process.count("unreadable", kind="poddisruptionbudgets") == 0


def test_an_unreadable_ledger_refuses_everybody_and_says_so() -> None:
    site = hot()
    process = site.process()
    site.server.faults.add(Unconnected(), method="GET", path="*/evictionrecords")

    result = process.run()

    assert {line.rail for line in result.decisions} == {"unreadable"}
    assert "evictionrecords" in result.decisions[0].message
    assert "list/evictionrecords" in result.troubles
    assert site.evictions() == []


def test_a_cluster_that_cannot_be_read_again_before_acting_stops_the_eviction() -> None:
    site = hot()
    process = site.process()
    lost = Unconnected()
    # the record list that every attempt begins with comes right before the second look at the cluster
    site.server.faults.add(Before(lambda: None), method="GET", path="*/evictionrecords")
    cut = Before(lambda: site.server.faults.add(lost, method="GET", path="*/nodes", times=9))
    site.server.faults.add(cut, method="GET", path="*/evictionrecords")

    (line,) = process.run().decisions

    assert (line.rail, site.evictions(), site.records()) == ("unreadable", [], {})
    assert "the cluster could not be read again" in line.message


@pytest.mark.parametrize(
    ("change", "rail"),
    [
        pytest.param({"metadata": {"annotations": {"bayplan.dev/no-evict": "true"}}}, "veto", id="vetoed meanwhile"),
        pytest.param({"metadata": {"uid": "uid-other"}}, "gone", id="another pod meanwhile"),
    ],
)
def test_a_victim_is_checked_again_on_fresh_state(change: dict[str, object], rail: str) -> None:
    site = hot(fallBack="none")
    process = site.process()

    def meanwhile() -> None:
        site.server.remove("pods", "web-0")
        site.server.put(raw_pod("web-0", patch=change))

    site.server.faults.add(Before(lambda: None), method="GET", path="*/evictionrecords")
    site.server.faults.add(Before(meanwhile), method="GET", path="*/evictionrecords")

    (line,) = process.run().decisions

    assert (line.kind, site.evictions(), site.records()) == ("refused", [], {})
    assert line.rail == rail


# ---------------------------------------------------------------------- budgets over runs and restarts


def test_two_single_runs_share_budgets_and_cool_downs() -> None:
    limits = [{"scope": "cluster", "max": 1, "window": "10m"}]
    site = hot(limits=limits)
    first = site.process("run-1")
    first.run()
    first.elector.release()

    second = site.process("run-2")
    site.others["n1"] = 8.0
    rails = refusals(second, after=90)

    assert site.evictions() == ["web-0"]
    assert set(rails.values()) == {"limits"}
    second.elector.release()
    site.process("run-3").run(after=TEN_MINUTES)
    assert len(site.evictions()) == 2


@pytest.mark.parametrize("interval", [10.0, 300.0])
def test_fc_031_a_faster_loop_and_a_restart_do_not_evict_more(interval: float) -> None:
    limits = [{"scope": "workload", "max": 6, "window": "10m"}]
    site = Site(policy=policy(limits=limits, readyFor="0s", victimsPerNode=5), demands={"web": 0.45}, start_after=0.0)
    site.add("web", *["n1"] * 20)
    site.others["n1"] = 3.0
    site.place = lambda _: "n1"
    site.policy = policy(limits=limits, readyFor="0s", destination="off", netGain="off", minPodAge="0s")
    process = site.process("first")

    began = site.clock.monotonic()
    while site.clock.monotonic() - began < 3000:
        process.run(after=interval)
        if len(site.evictions()) == 4:
            process.elector.release()
            process = site.process("second")

    times = eviction_times(site)
    assert len(times) >= (20 if interval < TEN_MINUTES / 6 else 8)
    assert most_within(times, TEN_MINUTES) <= 6


def test_fc_032_the_second_pod_of_a_workload_waits_until_the_first_ones_replacement_has_been_ready() -> None:
    site = Site(policy=policy(readyFor="30s", minPodAge="0s"), demands={"web": 1.5}, start_after=40.0)
    site.others = {"n1": 8.0, "n2": 0.0, "n3": 0.0, "rest": -3.0}
    site.add("web", "n1", "n1", "rest", "rest")
    process = site.process()

    for _ in range(20):
        process.run(after=5)

    first, second, *_ = eviction_times(site)
    assert second - first >= 70


def test_fc_033_an_eviction_that_never_ends_times_out_and_frees_its_place() -> None:
    text = 'admission webhook "virt" denied the request: Eviction triggered evacuation of VMI "default/web-0"'
    site = hot(landingTimeout="10m")
    site.server.faults.add(Fail(Failure(429, "TooManyRequests", text)), path="*/eviction")
    process = site.process()
    process.run()

    early = refusals(process, after=590)
    process.run(after=15)

    assert early["web-0"] == "recorded"
    assert site.records()["web-0"]["landing"] == "TimedOut"
    assert [where for where, _ in site.events("EvictionTimedOut")] == ["Deployment/web"]
    pod = site.server.find("pods", "web-0")
    assert pod is not None
    assert not pod["metadata"].get("annotations")
    assert process.count("outcomes_total", rule="buoyancy", outcome="TimedOut") == 1


def test_fc_084_an_evacuation_in_the_background_fills_the_nodes_budget() -> None:
    text = 'admission webhook "virt" denied the request: Eviction triggered evacuation of VMI "default/vm"'
    site = hot(limits=[{"scope": "node", "max": 1, "window": "10m"}])
    site.server.faults.add(Fail(Failure(429, "TooManyRequests", text)), path="*/eviction", times=float("inf"))
    process = site.process()

    process.run()
    rails = refusals(process, after=280)

    assert site.evictions() == ["web-0"]
    assert rails == {"web-0": "recorded", "api-0": "limits"}


def test_fc_083_request_and_result_are_counted_once_each() -> None:
    site = hot()
    process = site.process()

    for pause in (0, 60, 60, 60):
        process.run(after=pause)

    answer = {"rule": "buoyancy", "answer": "201 accepted", "mode": "enforce"}
    assert process.count("evictions_total", **answer) == 1
    outcomes = [process.count("outcomes_total", rule="buoyancy", outcome=each) for each in Landing]
    assert sum(outcomes) == 1


# ---------------------------------------------------------------------- one leader, open calls


def test_two_processes_never_evict_more_than_one_would() -> None:
    site = hot(limits=[{"scope": "cluster", "max": 1, "window": "10m"}])
    first, second = site.process("a"), site.process("b")

    for _ in range(3):
        first.run(after=5)
        assert refusals(second) in ({"web-0": "lease"}, {"api-0": "limits"}, {"web-0": "limits", "api-0": "limits"}, {})

    assert site.evictions() == ["web-0"]


def test_an_answer_that_got_lost_is_settled_by_the_next_cycle() -> None:
    site = hot()
    site.server.faults.add(LostAnswer(), path="*/eviction")
    process = site.process()

    (line,) = process.run().decisions
    unknown = site.records()["web-0"]["state"]
    process.run(after=5)

    assert (line.kind, unknown, site.records()["web-0"]["state"]) == ("unknown", "Unknown", "Accepted")
    assert site.evictions() == ["web-0"]


def test_a_lost_answer_of_a_dead_process_counts_on_and_its_landing_is_found() -> None:
    site = hot(limits=[{"scope": "cluster", "max": 1, "window": "10m"}])
    site.server.faults.add(LostAnswer(), path="*/eviction")
    site.process("dead").run()

    successor = site.process("next")
    site.others["n1"] = 8.0
    successor.pause(20)
    rails = refusals(successor, after=30)

    assert successor.elector.leads()
    assert set(rails.values()) == {"limits"}
    status = site.records()["web-0"]
    assert (status["state"], status["landing"]) == ("Unknown", "Moved")


# ---------------------------------------------------------------------- observing


def test_observing_decides_the_same_records_it_and_evicts_nobody() -> None:
    site = hot(mode="observe")
    process = site.process()

    (line,) = process.run().decisions

    assert (line.kind, line.pod and line.pod.name, line.destination) == ("observed", "web-0", "n2")
    assert site.evictions() == []
    assert site.records()["web-0"]["state"] == "Observed"
    assert {where for where, _ in site.events("WouldEvict")} == {"Pod/web-0", "Deployment/web"}


def test_observing_without_the_lease_writes_nothing_but_events() -> None:
    site = hot(mode="observe")
    site.process("leader")
    dry = site.process("dry")

    result = dry.run()

    assert result.counted(Kind.OBSERVED) == 1
    writes = {f"{call.verb} {call.resource}" for call in site.server.calls if call.user == "dry"}
    assert {write for write in writes if write.split()[0] not in {"get", "list"}} == {"create events"}


def test_observed_evictions_use_up_the_budgets_of_observing_runs_only() -> None:
    site = hot(mode="observe", limits=[{"scope": "cluster", "max": 1, "window": "10m"}])
    process = site.process()
    process.run()

    observing = refusals(process, after=15)
    site.policy = policy(limits=[{"scope": "cluster", "max": 1, "window": "10m"}])
    process.run(after=15)

    assert set(observing.values()) <= {"recorded", "limits"}
    assert site.evictions() == ["web-0"]


# ---------------------------------------------------------------------- what is said and written


def test_fc_082_events_and_counters_name_policy_reason_source_and_destination() -> None:
    site = hot()
    process = site.process()

    process.run()

    told = dict(site.events("Evicted"))
    assert set(told) == {"Pod/web-0", "Deployment/web"}
    assert told["Pod/web-0"].startswith("default/web-0 evicted from n1 to n2. Rule buoyancy: ")
    assert told["Pod/web-0"].endswith("(policy abc)")
    assert process.count("decisions_total", rule="buoyancy", decision="evicted") == 1
    assert process.count("workload_evictions_total", namespace="default", workload="Deployment/web") == 1


def test_a_refusal_names_its_rail_in_log_event_and_metric(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    site = hot()
    site.server.put(*(raw_pdb(app, app=app, spec={"minAvailable": 3}) for app in ("web", "api")))
    process = site.process()

    rails = refusals(process)

    assert rails == {"web-0": "pdb", "api-0": "pdb"}
    assert "default/web-0 refused by pdb: " in caplog.text
    assert dict(site.events("EvictionRefused"))["Pod/web-0"].startswith("not evicted (pdb): ")
    assert process.count("refusals_total", rail="pdb", rule="buoyancy") == 2


def test_a_refusal_of_the_rule_itself_is_told_on_the_workload(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    site = Site()
    site.add("web", "n1", "rest", "rest")
    idle = dict.fromkeys(("n1", "n2", "n3", "rest"), 0.2)
    breach = {f"default/web-{number}": 0.3 for number in range(3)}
    site.signals = ScriptedSignals(nodes=idle, slos={"p99": breach})
    process = site.process()

    (line,) = process.run().decisions

    assert (line.pod, str(line.workload), line.rail) == (None, "Deployment default/web", "not-a-placement-problem")
    assert "p99 of Deployment default/web refused by not-a-placement-problem: " in caplog.text
    ((where, message),) = site.events("EvictionRefused")
    assert where == "Deployment/web"
    assert message.startswith("nobody evicted (not-a-placement-problem): not a placement problem: 3 of 3 measured ")
    assert process.count("refusals_total", rail="not-a-placement-problem", rule="soft-slo") == 1
    (shown,) = site.server.all("deschedulerreports")
    assert shown["status"]["lastRun"]["decisions"][0]["workload"] == "Deployment default/web"


def test_a_refusal_about_a_node_is_told_on_it_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    site = hot()
    site.measured()
    site.demands = {}
    site.signals.pods_use = {}
    process = site.process()

    process.run()
    site.signals.nodes = {**site.signals.nodes, "n1": 1.3}
    process.run(after=15)

    ((where, message),) = site.events("EvictionRefused")
    assert where == "Node/n1"
    assert message.startswith("nobody evicted (no-candidate): no pod on n1 has a fresh and verified score for cpu")
    (event,) = site.server.all("events")
    node = next(raw for raw in site.server.all("nodes") if raw["metadata"]["name"] == "n1")
    assert event["metadata"]["namespace"] == "default"
    assert event["involvedObject"]["uid"] == node["metadata"]["uid"]
    assert len([line for line in caplog.messages if "refused by no-candidate" in line]) == 1


def test_the_same_refusal_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    site = hot(paused=True)
    process = site.process()

    process.run()
    process.run(after=15)

    lines = [line for line in caplog.messages if "refused by paused" in line]
    assert len(lines) == 2


def test_the_report_keeps_the_last_run_and_running_totals_over_processes() -> None:
    site = hot()
    first = site.process("a")
    first.run()
    first.elector.release()
    site.process("b").run(after=60)

    report = site.server.find("deschedulerreports", "descheduler", OWN)

    assert report is not None
    status = report["status"]
    assert status["totals"]["evictions/buoyancy/evicted"] == 1
    assert status["totals"]["outcomes/buoyancy/Moved"] == 1
    assert status["totals"]["cycles"] == 2
    assert (status["lastRun"]["mode"], status["lastRun"]["policyHash"]) == ("enforce", "abc")


def test_fc_085_nothing_is_written_but_what_the_design_allows() -> None:
    site = hot()
    process = site.process()

    for pause in (0, 60, 60):
        process.run(after=pause)
    process.elector.release()

    writes = {
        f"{call.verb} {call.resource}"
        for call in site.server.calls
        if call.user == "a" and call.verb not in {"get", "list", "watch"}
    }
    assert writes <= {
        "create pods/eviction",
        "create evictionrecords",
        "patch evictionrecords",
        "create deschedulerreports",
        "update deschedulerreports",
        "create leases",
        "update leases",
        "create events",
        "patch events",
    }
    nodes = [raw["spec"] for raw in site.server.all("nodes") if raw["metadata"]["name"] != "rest"]
    assert not any(spec.get("unschedulable") or spec.get("taints") for spec in nodes)


def test_budget_use_is_shown_by_limit() -> None:
    site = hot(
        limits=[{"scope": "workload", "max": 1, "window": "10m"}, {"scope": "cluster", "max": 5, "window": "1h"}]
    )
    process = site.process()
    process.run()
    process.run(after=5)

    assert process.count("budget_used", scope="workload", window="600s") == 1
    assert process.count("budget_max", scope="cluster", window="3600s") == 5
    assert process.count("records", state="Accepted") == 1


def test_pauses_between_cycles_do_not_matter_for_what_is_decided() -> None:
    decided = []
    for parts in ((90,), (30, 30, 30)):
        site = hot()
        process = site.process()
        for pause in itertools.chain((0,), parts):
            process.run(after=pause)
        decided.append((site.evictions(), site.records()["web-0"]["landing"]))

    assert decided[0] == decided[1]
