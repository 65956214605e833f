"""Whatever is not known evicts nobody: signals, lists, the ledger, the state just before the call."""

import pytest

from simulator.failures import Failure
from simulator.faults import Before, Fail, Unconnected
from tests.descheduler.cycles import hot
from tests.descheduler.scripted import ScriptedSignals
from tests.raw import raw_pdb, raw_pod


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
