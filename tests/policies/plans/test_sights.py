"""What a plan means to one pod: the places that are left to it, and what is closed to the others."""

from dataclasses import replace

from policies.plans.claims import Claims, claim_place, claim_room
from policies.plans.quotas import Place, kind
from tests.builders import make_node, make_pod, make_resources
from tests.policies.plans.making import SMALL, controller, in_force, look_at, make_entry, make_plan, make_quota, pending

WEB = kind(controller(), SMALL)
NODES = [make_node(name, cpu=1000) for name in ("n1", "n2", "n3")]
OFFERED = ["n1", "n2", "n3"]
BIG = make_resources(cpu=700, pods=1)


def test_a_planned_pod_goes_to_the_place_where_most_are_still_to_come() -> None:
    force = in_force(make_plan(make_quota(), make_quota(node="n2", wanted=2)), NODES)

    assert look_at(pending("a"), force).destination(OFFERED) == "n2"
    assert look_at(pending("a"), force).destination(["n1", "n3"]) == "n1"
    assert look_at(pending("a"), force).destination(["n3"]) is None


def test_of_equal_places_the_first_by_name_is_taken() -> None:
    force = in_force(make_plan(make_quota(node="n2"), make_quota()), NODES)

    assert look_at(pending("a"), force).destination(OFFERED) == "n1"


def test_a_place_that_another_has_claimed_is_not_open() -> None:
    force, claims = in_force(make_plan(make_quota(), make_quota(node="n2")), NODES), Claims()
    claims.put(claim_place(pending("a"), Place(WEB, "n1"), now=0.0))

    assert look_at(pending("b"), force, claims=claims).destination(OFFERED) == "n2"
    assert look_at(pending("a"), force, claims=claims).destination(OFFERED) == "n1"


def test_its_own_claim_and_its_nomination_come_first() -> None:
    force, claims = in_force(make_plan(make_quota(wanted=2), make_quota(node="n2")), NODES), Claims()
    claims.put(claim_place(pending("a"), Place(WEB, "n2"), now=0.0))

    assert look_at(pending("a"), force, claims=claims).destination(OFFERED) == "n2"
    assert look_at(pending("b", nominated_node="n2"), force).destination(OFFERED) == "n2"
    assert look_at(pending("b", nominated_node="n3"), force).destination(OFFERED) == "n1"


def test_once_all_places_are_claimed_a_pod_is_like_any_other() -> None:
    force, claims = in_force(make_plan(make_quota()), NODES), Claims()
    one, more = pending("a"), pending("b")
    claims.put(claim_place(one, Place(WEB, "n1"), now=0.0))

    sight = look_at(more, force, claims=claims)

    assert sight.awaited == {"n1": 1}
    assert not sight.planned
    assert sight.closed(OFFERED) == ["n1"]  # there would be room for both, but one is wanted


def test_a_planned_pod_is_not_held_and_any_other_is() -> None:
    force = in_force(make_plan(make_quota()), NODES)

    assert not look_at(pending("a"), force, held=True).held
    assert look_at(pending("b", "api"), force, held=True).held


def test_claims_of_others_count_against_what_a_promise_leaves() -> None:
    force, claims = in_force(make_plan(make_quota(requests=BIG)), NODES), Claims()
    other = pending("b", "api", cpu=200)
    claims.put(claim_room(pending("a", "api", cpu=200), ["n1"], now=0.0))

    assert look_at(other, force).closed(OFFERED) == []
    assert look_at(other, force, claims=claims).closed(OFFERED) == ["n1"]
    assert look_at(other, force, claims=claims).closed(["n2"]) == []
    assert not look_at(replace(other, priority=1), force, claims=claims).closes("n1")
    assert not look_at(other, force, claims=claims).closes("n2")


def test_victims_open_a_node_but_for_those_that_the_plan_takes_away() -> None:
    mine, other = make_pod("v", workload="db", cpu=300), make_pod("o", workload="db", cpu=300)
    plan = make_plan(make_quota(requests=BIG), entries=[make_entry(mine, None)])
    sight = look_at(pending("a", "api", cpu=250), in_force(plan, NODES, [mine, other]))

    assert sight.closes("n1")
    assert sight.closes("n1", victims=[mine])
    assert not sight.closes("n1", victims=[other])


def test_a_planned_pod_claims_its_place_and_any_other_the_room_it_may_take() -> None:
    tool = pending("tool", owner=None)
    plan = make_plan(make_quota(), entries=[make_entry(tool, "n2")])
    force = in_force(plan, NODES)

    planned = look_at(pending("a"), force).claim(["n1"], now=0.0)
    other = look_at(pending("b", "api"), force).claim(OFFERED, now=0.0)

    assert planned is not None
    assert planned.place == Place(WEB, "n1")
    assert other is not None
    assert other.nodes == {"n1", "n2"}
    assert look_at(pending("a"), force).claim([], now=0.0) is None
    assert look_at(pending("b", "api"), force).claim(["n3"], now=0.0) is None
    assert look_at(tool, force).claim(["n2"], now=0.0) is None
    assert look_at(tool, force).plan == plan


def test_a_pod_without_terms_is_kept_off_no_node() -> None:
    assert look_at(pending("b", "api"), in_force(make_plan(make_quota()), NODES), nodes=NODES).barred(OFFERED) == []


def test_what_only_claims_keep_from_a_pod_is_told_apart() -> None:
    force, claims = in_force(make_plan(make_quota(), make_quota(node="n2", requests=BIG)), NODES), Claims()
    claims.put(claim_place(pending("a"), Place(WEB, "n1"), now=0.0))
    claims.put(claim_room(pending("c", "api", cpu=200), ["n2"], now=0.0))

    same = look_at(pending("b"), force, claims=claims)
    small, large = pending("d", "api", cpu=200), pending("e", "api", cpu=400)

    assert same.kept_by_claims(["n1"]) == ["n1"]
    assert look_at(small, force, claims=claims).kept_by_claims(["n2"]) == ["n2"]
    assert look_at(large, force, claims=claims).kept_by_claims(["n2"]) == []


def test_its_own_nomination_keeps_no_pod_from_its_node() -> None:
    pod = pending("a", "api", cpu=200, nominated_node="n1")
    force = in_force(make_plan(make_quota(requests=BIG)), NODES, [pod])
    asking = replace(pod, nominated_node=None)  # kube-scheduler has taken it back, and we have not heard of it yet

    assert look_at(asking, force).closed(["n1"]) == []
    assert look_at(replace(asking, uid="uid-b"), force).closed(["n1"]) == ["n1"]
    assert look_at(replace(asking, requests=make_resources(cpu=300, pods=1)), force).kept_by_claims(["n1"]) == ["n1"]
    assert look_at(pod, force).claim(["n1"], now=0.0) is None
