"""An assignment becomes a solution with the proof it deserves."""

import pytest

from descheduler.optimiser.concluding import Findings, conclude, point
from descheduler.optimiser.solution import Options, Point, Proof
from tests.descheduler.optimiser.builders import make_item, make_problem

PROBLEM = make_problem([make_item("running", node=0), make_item("pending")])


@pytest.mark.parametrize(
    ("assignment", "proven", "proof"),
    [
        ((0, 1), True, Proof.IMPROVED_PROVEN),
        ((0, 1), False, Proof.IMPROVED),
        ((0, None), True, Proof.NOTHING_BETTER),
        ((0, None), False, Proof.NOTHING_FOUND),
        ((1, None), True, Proof.NOTHING_FOUND),
    ],
)
def test_proof_follows_from_the_assignment(assignment: tuple[int | None, ...], *, proven: bool, proof: Proof) -> None:
    solution = conclude(PROBLEM, assignment, Options(), Findings(solver="any", proven=proven))

    assert solution.proof is proof
    assert solution.baseline == {"V[0]": 0, "U[0]": 1, "D": 0}


def test_worse_assignment_becomes_doing_nothing() -> None:
    solution = conclude(PROBLEM, (1, None), Options(), Findings(solver="any"))

    assert solution.assignment == (0, None)
    assert solution.vector == solution.baseline


def test_point_counts_the_placed_and_the_disturbed() -> None:
    assert point(PROBLEM, (1, 0), at=0.5) == Point(at=0.5, placed=(2,), disruptions=1)
