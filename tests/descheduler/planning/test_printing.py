"""Tried plans as tables and as JSON: the vector beside its bound, who was left out, and every way to find nothing."""

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from descheduler.optimiser.solution import Proof, Solution, doing_nothing
from descheduler.planning.computing import NOTHING_PENDING, Computed
from descheduler.planning.printing import PROOFS, Row, as_json, print_tables, rows
from descheduler.planning.problems.building import Built, build
from descheduler.planning.trying import Point
from policies.values.refusals import Refusal
from tests.builders import make_cluster, make_node, make_pod
from tests.descheduler.planning.problems.paper import make_policy, make_situation


def built() -> Built:
    pods = [
        make_pod("low", node=None, workload="low", priority=-1),
        make_pod("high", node=None, workload="high", priority=5),
        make_pod("huge", node=None, workload="huge", cpu=9000),
        make_pod("task", owner=None),
    ]
    return build(make_situation(make_cluster([make_node("n1")], pods)))


def solution(problem: Built, **changes: Any) -> Solution:
    vector = {"V[0]": 0, "U[0]": 1, "V[1]": 0, "U[1]": 1, "D": 4}
    found = Solution(
        assignment=doing_nothing(problem.problem),
        proof=Proof.IMPROVED,
        solver="bayplan",
        vector=vector,
        baseline={**vector, "U[0]": 3, "D": 0},
        bounds=(0, 1),
        disruptions_bound=2.5,
        troubles=("a plan was rejected",),
    )
    return replace(found, **changes)


def computed(**changes: Any) -> Computed:
    made = built()
    return replace(Computed(built=made, solution=solution(made), seconds=1.5), **changes)


def printed(attempt: Computed, curve: Sequence[Point] = ()) -> str:
    console = Console(width=150, record=True, file=io.StringIO())
    print_tables(attempt, curve, console)
    return console.export_text()


def test_each_number_stands_beside_doing_nothings_and_its_bound() -> None:
    made = built()

    found = tuple(rows(made, solution(made)))

    assert found[1] == Row(name="U[0]", meaning="pods without a place of priority 5", plan=1, nothing=3, bound=0)
    assert found[3] == Row(name="U[1]", meaning="pods without a place of priority -1", plan=1, nothing=1, bound=1)
    assert found[4] == Row(name="D", meaning="weight of disruptions", plan=4, nothing=0, bound=2.5)
    assert [row.gap for row in found] == [None, 1, None, 0, 1.5]


def test_the_tables_name_the_numbers_the_curve_and_who_is_left_out() -> None:
    text = printed(computed(), [Point(price="any", placed=2, moved=3, evicted=1, seconds=0.5)])

    assert "U[0] │ pods without a place of priority 5" in text
    assert "any   │ 2      │ 4           │ 3     │ 1" in text
    assert "not placed: too-large: default/huge: larger than each of the 1 eligible nodes if it were empty" in text
    assert "1 bound pods stay; docs/reference/rails.md says what each rail asks, and what sets it:" in text
    assert "  1 by bare: default/task has no controller, so nobody would create it again\n" in text
    assert "trouble: a plan was rejected" in text
    assert "0 placed, 0 moved, 0 evicted by solver bayplan in 1.50 s" in text
    assert text.endswith("improved, not proven\n")


def test_each_rail_that_holds_pods_is_told_by_one_of_them_which_names_the_setting() -> None:
    pods = [make_pod("a-0", workload="a"), make_pod("b-0", workload="b"), make_pod("huge", node=None, cpu=9000)]
    made = build(make_situation(make_cluster([make_node("n1")], pods), make_policy(ready_floor=7)))
    said = "0 Ready replicas of Deployment default/a would be left, plan.eviction.minReadyReplicas is 7"

    assert f"  2 by ready-floor, one of them: {said}\n" in printed(computed(built=made, solution=None))
    assert json.loads(as_json(computed(built=made, solution=None), []))["fixedExample"] == {"ready-floor": said}


def test_who_is_left_pending_is_named() -> None:
    text = printed(computed())

    assert "left pending: default/low of priority -1" in text
    assert "left pending: default/high of priority 5" in text


@pytest.mark.parametrize("proof", [Proof.IMPROVED_PROVEN, Proof.NOTHING_BETTER])
def test_what_is_proven_is_its_own_bound(proof: Proof) -> None:
    """Evicted pods too, and pods that have no place at the price although there is room for them in all."""
    made = built()
    proven = solution(made, proof=proof, disruptions_bound=None)

    found = tuple(rows(made, proven))

    assert [(row.name, row.bound) for row in found] == list(proven.vector.items())
    assert {row.gap for row in found} == {0}


def test_under_frozen_too_what_is_proven_is_its_own_bound() -> None:
    made = built()
    proven = solution(made, proof=Proof.IMPROVED_PROVEN, vector={"V[0]": 1, "U[0]": 1, "D[0]": 2}, bounds=(0,))

    assert [row.bound for row in rows(made, proven)] == [1, 1, 2]


def test_programs_get_all_of_it() -> None:
    found = json.loads(as_json(computed(), [Point(price=3, proof=Proof.IMPROVED)]))

    assert found["vector"][4] == {
        "name": "D",
        "meaning": "weight of disruptions",
        "plan": 4,
        "nothing": 0,
        "bound": 2.5,
        "gap": 1.5,
    }
    assert found["curve"][0]["proof"] == "improved"
    assert (found["fixed"], len(found["leftOut"]), found["troubles"]) == ({"bare": 1}, 1, ["a plan was rejected"])


def test_where_nothing_is_pending_there_is_no_vector() -> None:
    attempt = Computed(built=built(), why_none=NOTHING_PENDING)

    assert printed(attempt).endswith("no pod is pending that a plan could place\n")
    assert json.loads(as_json(attempt, []))["vector"] == []


def test_a_plan_that_is_too_large_says_so() -> None:
    attempt = computed(refusal=Refusal("plan-size", "the plan is too large: 300000 bytes"), plan=None)

    assert printed(attempt).endswith("the plan is too large: 300000 bytes\n")


def test_a_problem_that_nobody_was_asked_has_no_numbers() -> None:
    made = built()

    text = printed(computed(solution=solution(made, vector={}, baseline={}, troubles=("options.seed: seen -1",))))

    assert "compared, most important first" not in text
    assert "trouble: options.seed: seen -1" in text


def test_an_attempt_without_anything_is_printed_as_well() -> None:
    assert printed(Computed()) == "\n"
    assert json.loads(as_json(Computed(), []))["proof"] is None


@pytest.mark.parametrize("proof", Proof)
def test_every_proof_has_words(proof: Proof) -> None:
    made = built()

    assert printed(computed(solution=solution(made, proof=proof))).endswith(f"{PROOFS[proof]}\n")


def test_under_frozen_the_weights_have_tiers() -> None:
    made = built()
    frozen = solution(made, vector={"U[0]": 1, "D[0]": 2}, baseline={}, bounds=())

    assert [(row.meaning, row.nothing, row.bound) for row in rows(made, frozen)] == [
        ("pods without a place of priority 5", 0, None),
        ("weight of disruptions of priority 5", 0, None),
    ]
