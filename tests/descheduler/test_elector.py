"""The Lease: one leader at a time by monotonic clocks, whatever the wall clocks say."""

import math
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from descheduler.elector import Elector, Terms
from simulator.api_server import ApiServer
from simulator.clock import ManualClock, SteppingEvent
from simulator.failures import Failure
from simulator.faults import Before, Fail, LostAnswer, Unconnected

LEASES = "*/leases*"


def elector(server: ApiServer, holder: str = "a", clock: ManualClock | None = None) -> Elector:
    """Return an elector of one process."""
    terms = Terms(namespace="bayplan-system", holder=holder)
    return Elector(server.connect(holder), terms, clock=clock or server.clock)


def holder(server: ApiServer) -> str:
    """Return whom the Lease names."""
    lease = server.find("leases", "bayplan-descheduler", "bayplan-system")
    return str(lease["spec"]["holderIdentity"]) if lease else ""


def test_the_first_to_ask_leads_and_the_second_does_not(server: ApiServer) -> None:
    first, second = elector(server, "a"), elector(server, "b")

    assert (first.step(), second.step()) == (True, False)
    assert (holder(server), second.other) == ("a", "a")


def test_a_leader_that_cannot_renew_stops_before_anybody_else_may_take_over(
    server: ApiServer, clock: ManualClock
) -> None:
    first, second = elector(server, "a"), elector(server, "b")
    first.step()
    second.step()
    server.faults.add(Unconnected(), path=LEASES, user="a", times=float("inf"))

    clock.advance(9.9)
    assert (first.step(), second.step()) == (True, False)
    clock.advance(0.2)
    assert (first.leads(), second.step()) == (False, False)
    clock.advance(5.0)
    assert (first.leads(), second.step()) == (False, True)


def test_a_renewal_counts_from_the_start_of_its_call(server: ApiServer, clock: ManualClock) -> None:
    slow = elector(server)
    server.faults.add(Before(lambda: clock.advance(6)), method="POST", path=LEASES)
    slow.step()

    clock.advance(3.9)
    assert slow.leads()
    clock.advance(0.2)
    assert not slow.leads()


def test_an_answer_that_got_lost_is_no_renewal(server: ApiServer, clock: ManualClock) -> None:
    mine = elector(server)
    mine.step()
    clock.advance(7)
    server.faults.add(LostAnswer(), method="PUT", path=LEASES)

    assert mine.step()
    clock.advance(2)
    assert not mine.leads()


@pytest.mark.parametrize("skew", [-3600.0, 3600.0])
def test_wall_clocks_prove_nothing(server: ApiServer, skew: float) -> None:
    elector(server, "a").step()
    other_clock = ManualClock()
    other_clock.jump(skew)
    second = elector(server, "b", other_clock)

    assert not second.step()
    other_clock.advance(14.9)
    assert not second.step()
    other_clock.advance(0.2)
    assert second.step()


def test_the_other_sides_longer_duration_is_respected(server: ApiServer, clock: ManualClock) -> None:
    patient = Terms(namespace="bayplan-system", holder="a", duration=60.0)
    Elector(server, patient, clock=clock).step()
    second = elector(server, "b")

    second.step()
    clock.advance(59)
    assert not second.step()
    clock.advance(2)
    assert second.step()


def test_a_released_lease_is_free_at_once_and_the_old_leader_is_out_for_good(server: ApiServer) -> None:
    first, second = elector(server, "a"), elector(server, "b")
    first.step()

    first.release()

    assert holder(server) == ""
    assert (first.leads(), first.step(), second.step()) == (False, False, True)


def test_a_lease_that_somebody_else_took_meanwhile_is_not_freed(server: ApiServer, clock: ManualClock) -> None:
    first, second = elector(server, "a"), elector(server, "b")
    first.step()
    second.step()
    clock.advance(16)
    second.step()

    first.release()

    assert holder(server) == "b"


def test_one_that_never_led_frees_nothing_and_trouble_while_freeing_is_only_logged(
    server: ApiServer, caplog: pytest.LogCaptureFixture
) -> None:
    elector(server, "b").release()
    assert server.calls.of("*", "leases") == []
    first = elector(server, "a")
    first.step()
    server.faults.add(Fail(Failure(500, "", "etcd")), path=LEASES)

    first.release()

    assert "could not be freed and will run out" in caplog.text


def test_a_lease_that_somebody_deleted_is_left_to_its_holder_for_as_long_as_that_may_act(
    server: ApiServer, clock: ManualClock
) -> None:
    first, second = elector(server, "a"), elector(server, "b")
    first.step()
    second.step()
    server.remove("leases", "bayplan-descheduler", "bayplan-system")

    at_once = second.step()
    clock.advance(9)
    both = (first.leads(), second.step())
    clock.advance(7)

    assert not at_once
    assert both == (True, False)
    assert (first.leads(), second.step()) == (False, True)


def test_a_leader_whose_lease_somebody_deleted_writes_it_again(server: ApiServer) -> None:
    first, second = elector(server, "a"), elector(server, "b")
    first.step()
    server.remove("leases", "bayplan-descheduler", "bayplan-system")

    assert (first.step(), second.step(), holder(server)) == (True, False, "a")


def test_two_that_see_a_dead_leader_at_once_do_not_both_lead(server: ApiServer, clock: ManualClock) -> None:
    elector(server, "dead").step()
    first, second = elector(server, "a"), elector(server, "b")
    first.step()
    second.step()
    clock.advance(16)
    server.faults.add(Before(second.step), method="PUT", path=LEASES, user="a")

    assert (first.step(), second.leads()) == (False, True)


def test_once_takes_a_free_lease_at_once_and_a_dead_ones_after_its_duration(
    server: ApiServer, clock: ManualClock
) -> None:
    pause = SteppingEvent(clock).wait
    assert elector(server, "a").take(pause)
    before = clock.monotonic()

    assert elector(server, "b").take(pause)
    assert 15 <= clock.monotonic() - before < 20


def test_once_gives_up_as_soon_as_the_holder_is_seen_to_live(server: ApiServer, clock: ManualClock) -> None:
    first = elector(server, "a")
    first.step()

    def pause(seconds: float) -> bool:
        clock.advance(seconds)
        first.step()
        return False

    before = clock.monotonic()
    assert not elector(server, "b").take(pause)
    assert clock.monotonic() - before < 5


def test_once_gives_up_when_the_api_lets_nobody_try(
    server: ApiServer, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    server.faults.add(Fail(Failure(403, "Forbidden", "no leases for you")), method="GET", path=LEASES, times=math.inf)
    tried = elector(server, "b")
    before = clock.monotonic()

    assert not tried.take(SteppingEvent(clock).wait)

    assert 15 <= clock.monotonic() - before < 20
    assert str(tried.trouble) == "403 Forbidden: no leases for you"
    assert len([record for record in caplog.records if "could not be renewed" in record.message]) == 1

    server.faults.clear()
    assert tried.step()
    assert tried.trouble is None


def test_once_gives_up_when_it_is_told_to(server: ApiServer) -> None:
    elector(server, "a").step()

    assert not elector(server, "b").take(lambda _: True)


def test_the_loop_keeps_the_lease_until_it_is_stopped(server: ApiServer, clock: ManualClock) -> None:
    mine = elector(server)

    mine.run(SteppingEvent(clock, stop_at=60))

    assert mine.leads()
    assert 25 <= len(server.calls.of("update", "leases")) <= 30


def test_a_stopped_loop_asks_nothing(server: ApiServer) -> None:
    stop = threading.Event()
    stop.set()

    elector(server).run(stop)

    assert len(server.calls) == 0


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.floats(0.1, 8), st.booleans()),
        min_size=5,
        max_size=60,
    )
)
def test_there_are_never_two_leaders(events: list[tuple[str, float, bool]]) -> None:
    clock = ManualClock()
    server = ApiServer(clock)
    electors = {name: elector(server, name) for name in "ab"}

    for name, pause, reachable in events:
        server.faults.clear()
        if not reachable:
            server.faults.add(LostAnswer(), path=LEASES, user=name, times=2)
        electors[name].step()
        assert sum(each.leads() for each in electors.values()) <= 1
        clock.advance(pause)


def test_times_that_could_overlap_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"lease times 2\.0 s, 20.0 s, 15.0 s: allowed is 0 < retry < deadline < duration"
    ):
        Terms(namespace="x", holder="a", deadline=20.0)
