"""Either single evictions or a plan, never both."""

from descheduler.planning.gate import Gate


def test_single_evictions_wait_for_a_plan() -> None:
    gate = Gate()
    assert gate.enter("plan-1")

    with gate.single() as refusal:
        assert str(refusal) == ("plan-active: the plan plan-1 is being carried out; single evictions wait for its end")

    gate.leave()
    with gate.single() as refusal:
        assert refusal is None


def test_plan_waits_for_single_evictions() -> None:
    gate = Gate()

    with gate.single():
        assert not gate.enter("plan-1")

    assert gate.enter("plan-1")
