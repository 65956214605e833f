"""A whole replica over the in-memory API server: threads, watches, Lease, policy, both applications."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from extender.admin import create_admin_app
from extender.opening import Opening
from extender.orders import DROPPED, PLAN
from extender.polling import Sources
from extender.service import Service, Surroundings
from policies.values.plans import PlanSlot
from simulator import faults
from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from sources.kube.plans import encode_plan, encode_slot
from sources.kube.records import encode_record
from sources.policy_file import PolicyFile
from tests.builders import make_resources
from tests.extender.test_polling import FakeSource
from tests.manifests import rights
from tests.policies.placement.test_steering import make_record
from tests.policies.plans.making import make_plan, make_quota
from tests.raw import raw_node, raw_object, raw_pod
from tests.sources.waiting import eventually

POLICY = """
apiVersion: bayplan.dev/v1alpha1
kind: Policy
signals:
  resources:
    cpu: {node: q, age: q, additive: true}
buoyancy: {maxRefusedNodes: 100%}
"""
OWN = "bayplan-system"
PENDING = raw_pod("web-0", node=None)


class Replica:
    """A service with its surroundings, started, and stopped after the test."""

    def __init__(self, clock: ManualClock, folder: Path, *, api: ApiServer | None = None) -> None:
        self.api = api or ApiServer(clock)
        self.api.put(raw_node("n1"), raw_node("n2"), PENDING, raw_pod("extender-0", namespace=OWN))
        self.source = FakeSource(clock)
        self.opened: list[str] = []
        self.tls_trouble = ""
        self.policy = folder / "policy.yaml"
        self.policy.write_text(POLICY)
        self.policy_file = PolicyFile(self.policy, clock=clock)
        self.service = Service(
            Surroundings(
                api=self.api.connect("extender-0", rights("extender")),
                policy_file=self.policy_file,
                open_sources=self.open,
                namespace=OWN,
                identity="extender-0",
                close=self.api.close,
                tls_trouble=lambda: self.tls_trouble,
                clock=clock,
            )
        )
        self.service.start()
        eventually(lambda: not self.service.readiness.lacking())

    def open(self, opening: Opening) -> Sources:
        """Give the fake source; note what it was opened for."""
        self.opened.append(f"{opening.policy.buoyancy.max_refused_nodes:.0%}")
        return Sources(signals=self.source, slacks=self.source)

    @property
    def webhooks(self) -> FlaskClient:
        """Return a client of the first listener."""
        return self.service.app.test_client()

    @property
    def admin(self) -> FlaskClient:
        """Return a client of the second listener's application."""
        return create_admin_app(
            self.service.readiness, self.service.memory.meters.registry, self.service.explain
        ).test_client()

    def filter(self, *names: str) -> Any:
        """Ask the filter about the pending pod."""
        return self.webhooks.post("/v1/filter", json={"Pod": PENDING, "NodeNames": names}).get_json()["NodeNames"]


@pytest.fixture
def replica(clock: ManualClock, tmp_path: Path) -> Iterator[Replica]:
    made = Replica(clock, tmp_path)
    yield made
    made.service.stop()


def test_a_congested_node_is_refused_and_a_pod_waits_where_the_policy_says_so(replica: Replica) -> None:
    eventually(lambda: replica.service.memory.board.ratings.below)

    assert replica.filter("n1", "n2") == ["n2"]
    assert replica.filter("n1") == []


def test_signals_are_read_once_the_nodes_are_known(clock: ManualClock, tmp_path: Path) -> None:
    # Read before, the series would be of nobody's node, and stay so until the next step.
    api, began = ApiServer(clock), clock.monotonic()

    def list_late() -> None:
        time.sleep(0.3)  # time enough for a poll that does not wait
        clock.advance(5.0)

    api.faults.add(faults.Before(list_late), method="GET", path="/api/v1/nodes")

    replica = Replica(clock, tmp_path, api=api)
    eventually(lambda: replica.service.memory.board.ratings.below)
    replica.service.stop()

    assert replica.source.asked[0] >= began + 5.0


def test_a_replica_that_starts_wakes_whom_its_predecessor_left_asleep(replica: Replica) -> None:
    eventually(lambda: replica.api.calls.of("patch", "pods"))

    assert replica.service.memory.board.ratings.below  # whoever asks now is answered from what was measured


def test_a_sleeping_pod_is_woken_when_its_node_becomes_free(replica: Replica, clock: ManualClock) -> None:
    eventually(lambda: replica.api.calls.of("patch", "pods"))
    replica.filter("n1")

    replica.source.cpu = 0.3
    clock.advance(15.0)

    eventually(lambda: len(replica.api.calls.of("patch", "pods")) == 2)
    assert replica.filter("n1") == ["n1"]


def test_pods_nodes_and_records_are_followed(replica: Replica) -> None:
    record = make_record(at=0.0)
    replica.api.put(raw_pod("web-1", node="n2"), raw_node("n3"), encode_record(record, OWN))
    memory = replica.service.memory

    eventually(lambda: len(memory.census) == 2)
    eventually(lambda: "n3" in memory.census.nodes)
    eventually(memory.ledger.all)


def test_a_pod_is_explained_as_it_is_in_the_cluster(replica: Replica) -> None:
    eventually(lambda: replica.service.memory.board.ratings.below)

    told = replica.admin.get("/explain?pod=default/web-0").get_json()

    assert [(node["node"], node["verdict"]) for node in told["nodes"]] == [("n1", "refused"), ("n2", "feasible")]
    assert told["policyHash"] == replica.policy_file.current.hash
    assert replica.admin.get("/explain?pod=default/gone").status_code == 404


def test_a_valid_change_of_the_policy_takes_effect_without_a_restart(replica: Replica) -> None:
    eventually(lambda: replica.service.memory.board.ratings.below)
    replica.policy.write_text(POLICY.replace("100%", "0%"))

    replica.policy_file.poll()

    assert replica.filter("n1") == ["n1"]
    assert replica.admin.get("/readyz").get_json()["policyHash"] == replica.policy_file.current.hash
    assert replica.opened == ["100%", "0%"]


def test_an_invalid_change_keeps_the_old_policy_and_shows(replica: Replica) -> None:
    before = replica.policy_file.current.hash
    replica.policy.write_text("kind: Nonsense")

    replica.policy_file.poll()

    report = replica.admin.get("/readyz").get_json()
    assert report["ready"]
    assert report["policyHash"] == before
    assert any("the file is invalid" in remark for remark in report["remarks"])


def test_a_replica_that_nobody_can_connect_to_is_not_ready_and_says_why(replica: Replica) -> None:
    replica.tls_trouble = "tls.crt: no PEM"

    answer = replica.admin.get("/readyz")

    assert answer.status_code == 503
    assert answer.get_json()["lacking"] == ["TLS files can be used"]
    assert "tls.crt: no PEM" in answer.get_json()["remarks"]


def test_what_cannot_be_listed_is_remarked_and_does_not_keep_it_from_being_ready(replica: Replica) -> None:
    remarks = replica.admin.get("/readyz").get_json()["remarks"]

    assert not [remark for remark in remarks if remark.startswith(("nodes", "pods"))]


def test_the_lease_is_renewed_and_given_up(replica: Replica) -> None:
    assert replica.api.find("leases", "bayplan-extender-extender-0", OWN) is not None

    replica.service.stop()

    assert replica.api.find("leases", "bayplan-extender-extender-0", OWN) is None


def begin_plan(api: ApiServer) -> None:
    """Write a plan for the pending pod and the slot that names it."""
    requests = make_resources(cpu=100, memory=64 * 2**20, pods=1)
    api.put(encode_plan(make_plan(make_quota(node="n1", requests=requests), name="p"), OWN))
    made = api.find("placementplans", "p", OWN)
    assert made is not None
    slot = PlanSlot(plan="p", plan_uid=made["metadata"]["uid"], revision=1, holder="d", renewal=1)
    api.put(encode_slot(slot, OWN))


def test_another_object_of_the_slots_kind_is_nobodys_order(replica: Replica) -> None:
    begin_plan(replica.api)
    eventually(lambda: PLAN in says(replica))
    other = encode_slot(PlanSlot(), OWN)

    replica.api.put(other | {"metadata": {"name": "another", "namespace": OWN}})
    replica.api.put(raw_node("n3"))
    eventually(lambda: "n3" in replica.service.memory.census.nodes)

    assert replica.filter("n1", "n2") == ["n1"]


def says(replica: Replica) -> dict[str, str]:
    """Return what the replica's Lease says of plans."""
    lease = replica.api.find("leases", "bayplan-extender-extender-0", OWN)
    return {} if lease is None else lease["metadata"].get("annotations") or {}


def test_a_plan_is_acknowledged_in_the_lease_and_obeyed(replica: Replica) -> None:
    begin_plan(replica.api)
    eventually(lambda: says(replica).get(PLAN, "").endswith("/1"))

    assert replica.filter("n1", "n2") == ["n1"]
    assert replica.admin.get("/readyz").get_json()["plan"] == says(replica)[PLAN]
    told = replica.admin.get("/explain?pod=default/web-0").get_json()
    assert told["plan"]["awaited"] == {"n1": 1}
    assert b'bayplan_extender_plan{phase="Evicting",plan="p",revision="1"} 1.0' in replica.admin.get("/metrics").data


def test_a_plan_whose_leader_died_is_dropped_and_the_lease_says_so(replica: Replica, clock: ManualClock) -> None:
    begin_plan(replica.api)
    eventually(lambda: PLAN in says(replica))
    version = says(replica)[PLAN]

    clock.advance(10.1)

    eventually(lambda: says(replica) == {DROPPED: version})
    eventually(lambda: replica.filter("n1", "n2") == ["n2"])  # and n1 is hot, once that has been read
    remarks = replica.admin.get("/readyz").get_json()["remarks"]
    assert "plan p was dropped: its slot was not renewed for over 10 s" in remarks


def test_a_replica_that_starts_takes_up_the_plan_from_its_watches(clock: ManualClock, tmp_path: Path) -> None:
    api = ApiServer(clock)
    begin_plan(api)

    replica = Replica(clock, tmp_path, api=api)
    eventually(lambda: PLAN in says(replica))

    assert replica.filter("n1", "n2") == ["n1"]
    replica.service.stop()


def test_a_draining_replica_is_not_ready_and_still_answers(replica: Replica) -> None:
    replica.service.drain()

    assert replica.admin.get("/readyz").get_json()["lacking"] == ["not stopping"]
    assert replica.filter("n2") == ["n2"]


def test_the_descheduler_s_report_shows_in_the_metrics(replica: Replica) -> None:
    status = {"totals": {"refusals/pdb": 3}}
    replica.api.put(
        raw_object("bayplan.dev/v1alpha1", "DeschedulerReport", "descheduler", namespace=OWN, status=status)
    )

    eventually(lambda: b'bayplan_descheduler_total{of="pdb"' in replica.admin.get("/metrics").data)
