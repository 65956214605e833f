"""Snapshots of a live cluster: the ledger, what is measured, and what is not known."""

from collections.abc import Mapping
from typing import Any

import pytest

from descheduler.taking import take
from policies.values import kinds
from simulator.failures import Failure
from simulator.faults import Fail
from sources.kube.records import encode_record
from sources.snapshots.reading import parse_snapshot
from sources.snapshots.snapshot import Snapshot
from sources.snapshots.writing import dump_snapshot
from tests.descheduler.builders import make_policy, make_record
from tests.descheduler.scripted import ScriptedSignals
from tests.descheduler.site import CPU, OWN, Site

POLICY = make_policy(signals={"resources": {"cpu": {**CPU, "workload": "q"}}})


def taken(site: Site, signals: ScriptedSignals | None = None, **changes: Any) -> tuple[Snapshot, Mapping[str, str]]:
    reader = signals or ScriptedSignals(nodes={"n1": 0.25, "n2": 0.5}, pods_use={"default/web-0": 1.5})
    return take(
        site.server,
        changes.get("policy", POLICY),
        namespace=OWN,
        open_signals=lambda _policy, _inventory: reader,
        clock=site.clock,
    )


def test_it_holds_the_cluster_the_ledger_and_what_is_measured() -> None:
    site = Site()
    site.add("web", "n1", "n2")
    site.server.put(encode_record(make_record(), OWN))

    snapshot, troubles = taken(site)

    pods = {pod.name: pod for pod in snapshot.cluster.pods.values()}
    assert pods.keys() == {"web-0", "web-1"}
    assert [record.name for record in snapshot.records] == ["uid-web-0"]
    assert snapshot.standings["n1"].scores["cpu"] == pytest.approx(0.25)
    assert snapshot.use["cpu"] == {pods["web-0"].uid: 1.5, pods["web-1"].uid: 0.1}
    assert troubles == {}
    assert parse_snapshot(dump_snapshot(snapshot), file="x") == snapshot


def test_workloads_tell_of_pods_that_are_not_measured() -> None:
    site = Site()
    site.add("web", "n1", "n2")
    site.clock.advance(600)  # until their use is in what is measured

    snapshot, _ = taken(site, ScriptedSignals(nodes={"n1": 0.25}, workloads_use={"default/web-rs": 0.8}))

    assert sorted(snapshot.use["cpu"].values()) == pytest.approx([0.4, 0.4])


def test_a_policy_without_signals_asks_for_none() -> None:
    site = Site()
    site.add("web", "n1")
    signals = ScriptedSignals()

    snapshot, _ = taken(site, signals, policy=make_policy())

    assert (snapshot.use, len(snapshot.cluster.pods)) == ({}, 1)
    assert signals.asked[-1] == "close"


@pytest.mark.parametrize(("code", "reason", "unknown"), [(403, "Forbidden", True), (404, "NotFound", False)])
def test_a_ledger_is_unknown_unless_its_kind_is_not_installed(code: int, reason: str, *, unknown: bool) -> None:
    site = Site()
    failure = Failure(code, reason, "evictionrecords")
    site.server.faults.add(Fail(failure), method="GET", path="*/evictionrecords", times=float("inf"))

    snapshot, troubles = taken(site)

    assert (kinds.RECORDS in snapshot.cluster.unreadable) is unknown
    assert ("list/evictionrecords" in troubles) is unknown
