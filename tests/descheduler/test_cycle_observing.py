"""Observing decides the same, evicts nobody, and counts against its own budgets only."""

from descheduler.decisions import Kind
from tests.descheduler.cycles import hot, refusals
from tests.descheduler.site import policy


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
