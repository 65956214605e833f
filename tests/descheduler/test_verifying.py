"""Where evicted pods land, read off snapshots: moved, returned, scaled down, timed out."""

from typing import Any

from descheduler import verifying
from descheduler.verifying import Figures, Patience
from policies.values import kinds
from policies.values.clusters import Cluster
from policies.values.pods import Owner, Phase, Pod
from policies.values.records import EvictionRecord, Landing, RecordState, Verification
from policies.values.workloads import WorkloadRef
from tests.builders import NOW, make_cluster, make_pod, make_workload
from tests.descheduler.builders import make_record

PATIENCE = Patience(ready_for=30.0, timeout=600.0)


def look(record: EvictionRecord, cluster: Cluster) -> Verification:
    """Return what is known of the record after one look."""
    found = {changed.name: seen for changed, seen in verifying.verify([record], cluster, PATIENCE)}
    return found.get(record.name, record.verification)


def young(name: str = "web-9", **changes: Any) -> Pod:
    """Return a replacement, created 40 s ago and ready for 31 s."""
    defaults: dict[str, Any] = {"node": "n2", "created_at": NOW - 40, "ready_since": NOW - 31}
    return make_pod(name, **(defaults | changes))


def test_a_ready_replacement_elsewhere_has_moved() -> None:
    seen = look(make_record(), make_cluster(pods=[young(), make_pod("web-1")]))

    assert (seen.landing, seen.replacement, seen.node, seen.ready_at) == (Landing.MOVED, "web-9", "n2", NOW - 31)


def test_fc_032_a_replacement_counts_only_after_it_was_ready_for_long_enough() -> None:
    evicted = make_record(at=NOW)
    ready_40 = {"created_at": NOW + 5, "ready_since": NOW + 40}
    unready_45 = {"created_at": NOW + 5, "ready": False, "ready_since": None}
    ready_60 = {"created_at": NOW + 5, "ready_since": NOW + 60}

    landings = {
        at: look(evicted, make_cluster(pods=[young(**state)], now=NOW + at)).landing
        for at, state in ((44, ready_40), (46, unready_45), (89, ready_60), (90, ready_60))
    }

    assert landings == {44: Landing.PENDING, 46: Landing.PENDING, 89: Landing.PENDING, 90: Landing.MOVED}


def test_a_replacement_on_the_source_has_returned_even_before_it_is_ready() -> None:
    seen = look(make_record(), make_cluster(pods=[young(node="n1", ready=False, ready_since=None)]))

    assert (seen.landing, seen.node) == (Landing.RETURNED, "n1")


def test_a_pending_replacement_is_waited_for_and_named() -> None:
    seen = look(make_record(), make_cluster(pods=[young(node=None)]))

    assert (seen.landing, seen.replacement, seen.node) == (Landing.PENDING, "web-9", None)


def test_a_workload_that_has_all_it_wants_was_scaled_down() -> None:
    scaled = make_cluster(pods=[make_pod("web-1")], workloads=[make_workload(wanted=1)])
    waiting = make_cluster(pods=[make_pod("web-1")], workloads=[make_workload(wanted=2)])

    assert look(make_record(), scaled).landing is Landing.SCALED_DOWN
    assert look(make_record(), waiting).landing is Landing.PENDING


def test_a_deleted_workload_was_scaled_down_unless_the_workloads_are_unreadable() -> None:
    assert look(make_record(), make_cluster()).landing is Landing.SCALED_DOWN
    unread = make_cluster(unreadable={kinds.DEPLOYMENTS: "403"})
    assert look(make_record(), unread).landing is Landing.PENDING


def test_nothing_is_concluded_from_an_unreadable_pod_list() -> None:
    assert verifying.verify([make_record()], make_cluster(unreadable={kinds.PODS: "403"}), PATIENCE) == ()


def test_fc_033_a_move_that_never_ends_times_out() -> None:
    stuck = make_cluster(pods=[make_pod(terminating=True)])

    assert look(make_record(at=NOW - 599), stuck).landing is Landing.PENDING
    assert look(make_record(at=NOW - 600), stuck).landing is Landing.TIMED_OUT
    assert look(make_record(at=NOW - 600), make_cluster(pods=[young(node=None)])).landing is Landing.TIMED_OUT


def test_fc_083_a_pod_that_ended_without_being_deleted_was_replaced_all_the_same() -> None:
    ended = make_pod(phase=Phase.SUCCEEDED, ready=False)

    assert look(make_record(), make_cluster(pods=[ended, young()])).landing is Landing.MOVED


def test_a_late_replacement_that_is_ready_has_moved_after_all() -> None:
    late = look(make_record(at=NOW - 900), make_cluster(pods=[young()]))

    assert late.landing is Landing.MOVED


def test_a_stateful_set_gives_the_name_again_under_another_uid() -> None:
    db = WorkloadRef("StatefulSet", "default", "db")
    record = make_record("uid-old", pod_uid="uid-old", pod="db-0", workload=db, controller=db)
    owner = Owner("StatefulSet", "db")
    sibling, again = (young(name, uid=f"new-{name}", owner=owner) for name in ("db-1", "db-0"))

    only_sibling = look(record, make_cluster(pods=[sibling]))
    both = look(record, make_cluster(pods=[sibling, again]))

    assert only_sibling.replacement is None
    assert (both.landing, both.replacement_uid) == (Landing.MOVED, "new-db-0")


def test_each_replacement_stands_for_one_victim_only() -> None:
    first, second = make_record("a", pod_uid="a", at=NOW - 60), make_record("b", pod_uid="b", at=NOW - 50)
    pods = [young("web-8", created_at=NOW - 45), young("web-9", created_at=NOW - 40)]

    found = verifying.verify([second, first], make_cluster(pods=pods), PATIENCE)

    assert [(record.name, seen.replacement) for record, seen in found] == [("a", "web-8"), ("b", "web-9")]


def test_a_replacement_that_another_api_server_stamped_a_second_earlier_is_still_it() -> None:
    record = make_record(at=NOW - 40)
    workloads = [make_workload(wanted=3)]
    others = [make_pod("web-1"), make_pod("web-2")]

    early = look(record, make_cluster(pods=[*others, young(created_at=NOW - 41)], workloads=workloads))
    both = look(
        record, make_cluster(pods=[*others, young("web-8", created_at=NOW - 41), young("web-9", created_at=NOW - 40)])
    )

    assert (early.landing, early.replacement) == (Landing.MOVED, "web-9")
    assert both.replacement == "web-9"


def test_a_replacement_that_vanished_is_looked_for_again() -> None:
    record = make_record(verification=Verification(replacement="web-7", replacement_uid="uid-web-7"))

    assert look(record, make_cluster(pods=[young()])).replacement == "web-9"


def test_a_known_replacement_is_not_given_to_another_record() -> None:
    owner = make_record("a", pod_uid="a", verification=Verification(replacement="web-9", replacement_uid="uid-web-9"))
    other = make_record("b", pod_uid="b")

    found = verifying.verify([owner, other], make_cluster(pods=[young()]), PATIENCE)

    assert [record.name for record, _ in found] == ["a"]


def test_closed_refused_and_observed_records_are_left_alone() -> None:
    records = [
        make_record("r", state=RecordState.REFUSED),
        make_record("o", state=RecordState.OBSERVED),
        make_record("m", verification=Verification(landing=Landing.RETURNED)),
    ]

    assert verifying.verify(records, make_cluster(pods=[young()]), PATIENCE) == ()


def test_a_record_without_any_owner_waits_until_it_times_out() -> None:
    bare: dict[str, Any] = {"workload": None, "controller": None}

    assert look(make_record(**bare), make_cluster(pods=[young()])).landing is Landing.PENDING
    assert look(make_record(**bare, at=NOW - 601), make_cluster()).landing is Landing.TIMED_OUT


def test_without_open_records_nothing_is_searched() -> None:
    assert verifying.verify([], make_cluster(pods=[young()]), PATIENCE) == ()


# ---------------------------------------------------------------------- figures before and after


def moved(**changes: Any) -> EvictionRecord:
    """Return a record whose replacement has been ready for two minutes."""
    seen: dict[str, Any] = {"landing": Landing.MOVED, "replacement_uid": "new", "ready_at": NOW - 120}
    return make_record(verification=Verification(**(seen | {"before": {"headroom": -0.1, "slack": -0.5}} | changes)))


def test_figures_are_taken_once_and_only_after_every_window_has_passed() -> None:
    early = verifying.unmeasured([moved()], now=NOW, settled_after=121)
    due = verifying.unmeasured([moved()], now=NOW, settled_after=120)
    again = verifying.unmeasured([moved(after={"headroom": 0.2})], now=NOW, settled_after=120)

    assert (early, due, again) == ((), (moved(),), ())


def test_what_has_not_landed_or_was_not_measured_before_is_not_measured_after() -> None:
    records = [moved(landing=Landing.PENDING), moved(landing=Landing.TIMED_OUT), moved(before={}), moved(ready_at=None)]

    assert verifying.unmeasured(records, now=NOW, settled_after=0) == ()


def test_only_figures_that_were_taken_before_are_taken_after() -> None:
    figures = Figures(headroom={"n1": 0.3}, slack={"new": 0.25})

    ((_, both),) = verifying.measure([moved()], figures)
    ((_, one),) = verifying.measure([moved(before={"headroom": -0.1})], figures)

    assert both.after == {"headroom": 0.3, "slack": 0.25}
    assert one.after == {"headroom": 0.3}


def test_nothing_is_written_while_the_figures_are_not_known() -> None:
    assert verifying.measure([moved()], Figures(headroom={"n2": 0.3}, slack={})) == ()
