"""Who waits for a plan's end, and who asked for a preemption since when."""

from extender.waiting import FirstCalls, Wait, Waiting


def test_held_pods_are_counted_without_the_one_that_asks() -> None:
    waiting = Waiting()
    waiting.put("a", Wait(at=0.0, held=True))
    waiting.put("b", Wait(at=0.0, held=True))
    waiting.put("c", Wait(at=0.0))

    assert (waiting.held(), waiting.held(beside="a"), waiting.held(beside="c")) == (2, 1, 2)
    assert waiting.is_held("a")
    assert not waiting.is_held("c")
    assert not waiting.is_held("z")


def test_another_plan_finds_nobody_held() -> None:
    waiting = Waiting()
    waiting.put("a", Wait(at=0.0, held=True))

    waiting.release()

    assert len(waiting) == 1
    assert waiting.held() == 0


def test_whoever_may_go_or_did_not_ask_for_six_minutes_waits_no_longer() -> None:
    waiting = Waiting()
    waiting.put("a", Wait(at=0.0))
    waiting.put("b", Wait(at=10.0))

    waiting.sweep(365.0, known=lambda _: True)
    assert len(waiting) == 1
    waiting.forget("b")
    waiting.forget("b")
    assert not waiting


def test_nodes_that_claims_kept_from_somebody_are_found_again() -> None:
    waiting = Waiting()
    waiting.put("a", Wait(at=0.0, claimed=frozenset({"n1"})))

    assert waiting.kept_by_claims(["n1", "n2"])
    assert not waiting.kept_by_claims(["n2"])


def test_the_first_call_counts_until_the_pod_is_bound_or_an_hour_has_passed() -> None:
    calls = FirstCalls()

    assert calls.since("a", now=1.0) == 1.0
    assert calls.since("a", now=9.0) == 1.0
    calls.forget("a")
    assert calls.since("a", now=20.0) == 20.0
    calls.sweep(20.0 + 3600.0)
    assert len(calls) == 1
    calls.sweep(20.1 + 3600.0)
    assert not calls


def test_a_pod_that_was_gone_before_it_was_answered_waits_for_ten_seconds_at_most() -> None:
    waiting = Waiting()
    waiting.put("gone", Wait(at=0.0, held=True))
    waiting.put("there", Wait(at=0.0, held=True))

    waiting.sweep(10.0, known=lambda uid: uid == "there")
    assert waiting.held() == 2
    waiting.sweep(10.1, known=lambda uid: uid == "there")

    assert waiting.held() == 1
    assert waiting.is_held("there")


def test_who_is_kept_from_many_nodes_waits_for_the_end_of_any_claim() -> None:
    waiting = Waiting()
    waiting.put("a", Wait.of(0.0, held=False, claimed=[f"n{number}" for number in range(16)]))
    assert not waiting.kept_by_claims(["n99"])

    waiting.put("b", Wait.of(0.0, held=False, claimed=[f"n{number}" for number in range(17)]))

    assert waiting.kept_by_claims(["n99"])
