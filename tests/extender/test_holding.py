"""Holds: the first refusal counts, and an end is not missed for ever."""

from extender.holding import Hold, Holding


def test_the_first_refusal_counts() -> None:
    holding = Holding()

    holding.refuse("u", now=10.0, until=310.0, asleep=True, wakes=310.0)
    holding.refuse("u", now=50.0, until=310.0, asleep=True, wakes=60.0)

    assert holding.of("u") == Hold(since=10.0, until=310.0, asleep=True, wakes=60.0)


def test_a_pod_that_gets_a_node_is_awake_but_its_hold_goes_on() -> None:
    holding = Holding()
    holding.refuse("u", now=10.0, until=310.0, asleep=True, wakes=310.0)

    holding.awaken("u")
    holding.awaken("u")
    holding.awaken("never-held")

    assert holding.of("u") == Hold(since=10.0, until=310.0, asleep=False, wakes=310.0)
    assert holding.sleepers() == {}


def test_a_bound_pod_is_forgotten() -> None:
    holding = Holding()
    holding.refuse("u", now=10.0, until=310.0, asleep=True, wakes=310.0)

    holding.forget("u")
    holding.forget("u")

    assert holding.of("u") is None


def test_a_hold_whose_end_was_missed_is_dropped_after_an_hour() -> None:
    holding = Holding()
    holding.refuse("u", now=10.0, until=310.0, asleep=True, wakes=310.0)

    holding.sweep(310.0 + 3600.0)
    assert holding.of("u") is not None

    holding.sweep(310.1 + 3600.0)
    assert holding.of("u") is None


def test_a_sleeper_that_never_asked_again_sleeps_no_more() -> None:
    holding = Holding()
    holding.refuse("deleted", now=10.0, until=310.0, asleep=True, wakes=310.0)

    holding.sweep(310.0 + 360.0)
    assert holding.sleepers().keys() == {"deleted"}

    holding.sweep(310.1 + 360.0)
    assert holding.sleepers() == {}
