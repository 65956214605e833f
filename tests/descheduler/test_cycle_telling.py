"""What a cycle says and writes: events, logs, metrics, the report, and nothing else."""

import pytest

from policies.values.records import Landing
from tests.descheduler.cycles import hot, refusals
from tests.descheduler.scripted import ScriptedSignals
from tests.descheduler.site import OWN, Site
from tests.raw import raw_pdb


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


def test_fc_083_request_and_result_are_counted_once_each() -> None:
    site = hot()
    process = site.process()

    for pause in (0, 60, 60, 60):
        process.run(after=pause)

    answer = {"rule": "buoyancy", "answer": "201 accepted", "mode": "enforce"}
    assert process.count("evictions_total", **answer) == 1
    outcomes = [process.count("outcomes_total", rule="buoyancy", outcome=each) for each in Landing]
    assert sum(outcomes) == 1
