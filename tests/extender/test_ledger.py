"""The records by workload."""

import threading

from extender.ledger import Ledger
from policies.values.records import RecordState
from policies.values.workloads import WorkloadRef
from tests.policies.placement.test_steering import WEB, make_record

REPLICAS = WorkloadRef("ReplicaSet", "default", "web-7d4")


def test_a_record_is_found_by_workload_and_by_controller() -> None:
    ledger = Ledger()
    record = make_record(controller=REPLICAS)

    ledger.put(record)

    assert ledger.of([WEB]) == ledger.of([REPLICAS]) == (record,)
    assert ledger.of([WorkloadRef("Deployment", "default", "other")]) == ()


def test_a_changed_record_takes_the_place_of_the_old_one() -> None:
    ledger = Ledger()
    ledger.put(make_record())
    refused = make_record(state=RecordState.REFUSED)

    ledger.put(refused)

    assert ledger.of([WEB]) == (refused,)
    assert ledger.all() == (refused,)


def test_a_record_that_changes_is_never_gone_meanwhile() -> None:
    ledger, stop, missed = Ledger(), threading.Event(), threading.Event()
    ledger.put(make_record())

    def read() -> None:
        while not stop.is_set():
            if not ledger.of([WEB]):
                missed.set()

    reader = threading.Thread(target=read)
    reader.start()
    for state in (RecordState.ACCEPTED, RecordState.INTENT) * 3000:
        ledger.put(make_record(state=state))
    stop.set()
    reader.join()

    assert not missed.is_set()


def test_a_record_whose_controller_becomes_known_moves() -> None:
    ledger = Ledger()
    ledger.put(make_record(controller=WorkloadRef("ReplicaSet", "default", "old")))
    now = make_record(controller=REPLICAS)

    ledger.put(now)

    assert ledger.of([WEB]) == ledger.of([REPLICAS]) == (now,)
    assert ledger.of([WorkloadRef("ReplicaSet", "default", "old")]) == ()


def test_a_deleted_record_is_gone_and_others_stay() -> None:
    ledger = Ledger()
    stays = make_record("u2")
    ledger.put(make_record("u1"))
    ledger.put(stays)

    ledger.remove("u1")
    ledger.remove("never-seen")

    assert ledger.of([WEB]) == (stays,)


def test_a_record_about_a_bare_pod_steers_no_workload() -> None:
    ledger = Ledger()

    ledger.put(make_record(workload=None))
    ledger.remove("u1")

    assert ledger.all() == ()
