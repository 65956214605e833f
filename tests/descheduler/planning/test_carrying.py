"""A whole plan, from the snapshot to its end, on an in-memory cluster."""

from policies.values.plans import PlanPhase
from tests.descheduler.planning.site import paper


def test_the_papers_example_is_carried_out() -> None:
    site = paper()
    process = site.process()
    site.wait(7)

    result = process.attempt()

    assert (result.outcome, result.detail) == ("Completed", result.detail)
    assert site.places() == {"pod1": "n1", "pod2": "n2", "pod3": "n1", "pod4": "n2"}
    assert site.evictions() == ["pod3-0"]
    assert site.plan().phase is PlanPhase.COMPLETED
    assert site.slot().plan is None
