"""The ledger's rules: one record a pod, nothing forgotten too early, an open call settled only when it is certain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from descheduler import recording
from policies.values.records import Landing, RecordState
from policies.values.refusals import Refusal
from tests.builders import NOW
from tests.descheduler.builders import landed, make_policy, make_record


def test_the_first_record_of_a_pod_is_named_by_its_uid() -> None:
    other = make_record("uid-web-10", pod_uid="uid-web-10")

    assert recording.name_for("uid-web-1", [other], observing=False) == "uid-web-1"


@pytest.mark.parametrize("state", [state for state in RecordState if state is not RecordState.REFUSED])
def test_a_pod_with_any_record_that_is_not_refused_is_not_evicted_twice(state: RecordState) -> None:
    name = recording.name_for("uid-web-0", [make_record(state=state)], observing=False)

    assert name == Refusal("recorded", f"the record uid-web-0 of this pod says {state}; a pod is evicted once")


def test_after_refusals_the_name_counts_up_from_the_last_one() -> None:
    records = [make_record(name, state=RecordState.REFUSED) for name in ("uid-web-0-2", "uid-web-0", "uid-web-0-10")]

    assert recording.name_for("uid-web-0", records, observing=False) == "uid-web-0-11"


def test_only_the_last_attempt_decides() -> None:
    records = [make_record(state=RecordState.REFUSED), make_record("uid-web-0-2", state=RecordState.UNKNOWN)]

    assert isinstance(recording.name_for("uid-web-0", records, observing=False), Refusal)


def test_observed_records_do_not_stop_an_eviction_nor_the_other_way_round() -> None:
    observed = make_record("observed-uid-web-0", state=RecordState.OBSERVED)

    assert recording.name_for("uid-web-0", [observed], observing=False) == "uid-web-0"
    assert recording.name_for("uid-web-0", [make_record()], observing=True) == "observed-uid-web-0"
    assert isinstance(recording.name_for("uid-web-0", [observed], observing=True), Refusal)


@given(st.floats(0, 1e6))
def test_an_unanswered_call_is_refunded_only_when_it_cannot_arrive_any_more(since: float) -> None:
    assert recording.settled(runs=False, since_call=since) is RecordState.ACCEPTED
    assert (recording.settled(runs=True, since_call=since) is RecordState.REFUSED) is (since >= 70)


def test_records_are_kept_as_long_as_the_longest_window_and_twice_the_longest_cool_down() -> None:
    hour = {"scope": "cluster", "max": 1, "window": "3h"}
    short = {"limits": [hour], "coolDown": {"max": "30m"}, "landingTimeout": "10m"}
    old = make_record("old", at=NOW - 3 * 3600 - 1, node="n2", verification=landed(Landing.MOVED))
    young = make_record("young", at=NOW - 3600)

    forgotten = recording.forgettable([young, old], make_policy(eviction=short), now=NOW)

    assert forgotten == (old,)
    assert recording.retention(make_policy()) == 2 * 86400


def test_an_eviction_whose_landing_is_not_known_is_not_forgotten() -> None:
    long_ago = NOW - 10 * 86400
    open_one = make_record("a", at=long_ago)
    done = make_record("b", at=long_ago, verification=landed(Landing.MOVED))

    assert recording.forgettable([open_one, done], make_policy(), now=NOW) == (done,)


def test_without_limits_the_cool_down_decides() -> None:
    assert recording.retention(make_policy(eviction={"limits": [], "coolDown": {"max": "1h"}})) == 7200


@pytest.mark.parametrize(("trigger", "kept"), [("off", 7200), ("periodic", 6 * 86400)])
def test_records_are_kept_for_plans_while_there_are_plans(trigger: str, kept: float) -> None:
    short = {"limits": [], "coolDown": {"max": "1h"}}

    policy = make_policy(eviction=short, plan={"trigger": trigger, "eviction": {"coolDown": {"max": "3d"}}})

    assert recording.retention(policy) == kept


def test_the_moves_behind_a_back_off_are_forgotten_together_or_not_at_all() -> None:
    days = [make_record(f"day-{age}", at=NOW - age * 86400, verification=landed(Landing.RETURNED)) for age in (1, 3, 9)]
    elsewhere = make_record("elsewhere", at=NOW - 3 * 86400, node="n2", verification=landed(Landing.RETURNED))

    assert recording.forgettable([*days, elsewhere], make_policy(), now=NOW) == (elsewhere,)


def test_a_refused_attempt_keeps_nothing_alive() -> None:
    old = make_record("old", at=NOW - 3 * 86400, verification=landed(Landing.MOVED))
    refused = make_record("refused", at=NOW - 60, state=RecordState.REFUSED)

    assert recording.forgettable([old, refused], make_policy(), now=NOW) == (old,)
