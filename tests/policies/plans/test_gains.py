"""A step is taken only while somebody waits for what it makes room for."""

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.plans.gains import NOBODY, in_vain
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from tests.builders import make_cluster, make_node, make_pod
from tests.policies.plans.plan_builders import make_plan, with_pods
from tests.policies.plans.test_validating_steps import step
from tests.policies.plans.under_way import scaled

PAIRS: Final = ("a", "b", "c")


def paired(*, bare: bool = False) -> tuple[Plan, Cluster]:
    """Return three examples in which `late-x` gets the place of `moved-x`, which goes from full-x to free-x."""
    nodes = [make_node(f"{how}-{pair}", cpu=1000) for pair in PAIRS for how in ("free", "full")]
    pods = []
    for pair in PAIRS:
        late = {"owner": None} if bare else {"workload": f"late-{pair}"}
        pods += [
            make_pod(f"first-{pair}", workload=f"first-{pair}", node=f"free-{pair}", cpu=400),
            make_pod(f"moved-{pair}", workload=f"moved-{pair}", node=f"full-{pair}", cpu=400),
            make_pod(f"twin-{pair}", workload=f"moved-{pair}", node="spare", cpu=10),
            make_pod(f"late-{pair}", node=None, cpu=700, **late),
        ]
    cluster = make_cluster([*nodes, make_node("spare")], pods)
    moves = {f"moved-{pair}": f"free-{pair}" for pair in PAIRS}
    return make_plan(cluster, move=moves, place={f"late-{pair}": f"full-{pair}" for pair in PAIRS}), cluster


def without(cluster: Cluster, *pairs: str) -> Cluster:
    """Return the cluster in which nobody waits of these pairs."""
    for pair in pairs:
        cluster = scaled(with_pods(cluster, without=(f"late-{pair}",)), f"late-{pair}", 0)
    return cluster


def test_nobody_is_evicted_for_one_who_is_gone_while_another_waits() -> None:
    plan, before = paired()
    now = without(before, "a")

    assert step(plan, now, 0) == ("no-gain: nobody waits any more for what default/moved-a makes room for on full-a")
    assert step(plan, now, 1) is None


@pytest.mark.parametrize("gone", ["a", "b"])
def test_the_same_of_bare_pods(gone: str) -> None:
    plan, before = paired(bare=True)
    now = with_pods(before, without=(f"late-{gone}",))

    assert [pair for pair, entry in zip(PAIRS, plan.disruptions, strict=True) if in_vain(plan, entry, now)] == [gone]


@given(st.sets(st.sampled_from(PAIRS)))
def test_exactly_the_steps_for_those_who_are_gone_are_in_vain(gone: set[str]) -> None:
    plan, before = paired()
    said = [in_vain(plan, entry, without(before, *sorted(gone))) for entry in plan.disruptions]

    assert {pair for pair, why in zip(PAIRS, said, strict=True) if why} == gone
    assert (NOBODY in said) == (len(gone) == len(PAIRS))


def test_a_step_of_a_relief_has_another_gain() -> None:
    plan, before = paired()
    relief = replace(plan, trigger="relief")

    assert in_vain(relief, plan.disruptions[0], without(before, "a")) is None
    assert in_vain(relief, plan.disruptions[0], without(before, *PAIRS)) == NOBODY


def test_who_makes_room_for_one_who_makes_room_is_for_somebody_too() -> None:
    nodes = [make_node(f"n{at}", cpu=1000) for at in range(3)]
    chain = [make_pod(f"w{at}", workload=f"w{at}", node=f"n{at}", cpu=600 - 100 * at) for at in range(2)]
    late = [make_pod(f"late-{name}", workload=name, node=None, cpu=10) for name in ("x", "y")]
    before = make_cluster(nodes, [*chain, *late])
    plan = make_plan(before, move={"w1": "n2", "w0": "n1"}, place={"late-x": "n0", "late-y": "n2"})
    only_x = scaled(with_pods(before, without=("late-y",)), "y", 0)
    only_y = scaled(with_pods(before, without=("late-x",)), "x", 0)

    assert [in_vain(plan, entry, only_x) for entry in plan.disruptions] == [None, None]
    assert all(in_vain(plan, entry, only_y) for entry in plan.disruptions)
