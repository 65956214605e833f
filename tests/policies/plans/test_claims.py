"""Claims: counted once each, gone when they end, and never against the pod that made them."""

from hypothesis import given
from hypothesis import strategies as st

from policies.plans.claims import LIVES_FOR, Claims, claim_place, claim_room
from policies.plans.quotas import Place, kind
from tests.policies.plans.making import SMALL, controller, pending

HERE = Place(kind(controller(), SMALL), "n1")


def test_a_planned_pod_claims_one_place_for_itself() -> None:
    claims, pod = Claims(), pending("a")

    claims.put(claim_place(pod, HERE, now=0.0))

    assert claims.taken(HERE) == claims.taken(HERE, beside="uid-b") == 1
    assert claims.taken(HERE, beside=pod.uid) == 0
    assert claims.on("n1") == {}


def test_another_pod_claims_its_requests_on_every_node_it_may_go_to() -> None:
    claims, pod = Claims(), pending("a", cpu=300)

    claims.put(claim_room(pod, ["n1", "n2"], now=0.0))

    assert claims.on("n1")["cpu"] == claims.on("n2")["cpu"] == 300
    assert claims.own(pod.uid, "n1")["cpu"] == 300
    assert claims.own("uid-b", "n1") == claims.own(pod.uid, "n3") == claims.on("n3") == {}
    assert claims.by_node() == {"n1": 1, "n2": 1}


def test_asking_again_replaces_the_claim() -> None:
    claims, pod = Claims(), pending("a", cpu=300)
    claims.put(claim_room(pod, ["n1", "n2"], now=0.0))

    claims.put(claim_room(pod, ["n2"], now=1.0))

    assert claims.on("n1") == {}
    assert claims.on("n2")["cpu"] == 300
    assert len(claims) == 1


def test_a_claim_ends_when_it_is_dropped() -> None:
    claims, pod = Claims(), pending("a")
    claims.put(claim_place(pod, HERE, now=0.0))

    dropped = claims.drop(pod.uid)

    assert dropped is not None
    assert dropped.place == HERE
    assert claims.of(pod.uid) is None
    assert claims.drop(pod.uid) is None
    assert claims.taken(HERE) == 0


def test_a_claim_lasts_five_seconds() -> None:
    claims = Claims()
    claims.put(claim_room(pending("a"), ["n1"], now=10.0))
    claims.put(claim_room(pending("b"), ["n1"], now=11.0))

    assert claims.expire(10.0 + LIVES_FOR - 0.001) == []
    assert [claim.uid for claim in claims.expire(10.0 + LIVES_FOR)] == ["uid-a"]
    assert claims.by_node() == {"n1": 1}


@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.sets(st.sampled_from(["n1", "n2"])), st.booleans(), st.booleans()),
        max_size=20,
    )
)
def test_sums_are_those_of_the_claims_that_stand(steps: list[tuple[str, set[str], bool, bool]]) -> None:
    claims = Claims()
    standing: dict[str, set[str]] = {}
    for name, nodes, drops, planned in steps:
        pod = pending(name, cpu=100 * (ord(name) - 96))
        if drops:
            claims.drop(pod.uid)
            standing.pop(name, None)
        else:
            claims.put(claim_place(pod, HERE, now=0.0) if planned else claim_room(pod, nodes, now=0.0))
            standing[name] = {"place"} if planned else nodes

    for node in ("n1", "n2"):
        expected = sum(100 * (ord(name) - 96) for name, nodes in standing.items() if node in nodes)
        assert claims.on(node).get("cpu", 0) == expected
    assert claims.taken(HERE) == sum("place" in nodes for nodes in standing.values())
    assert len(claims) == len(standing)


def test_a_claim_has_failed_when_the_pod_shows_another_outcome_than_when_it_asked() -> None:
    pod = pending("a", unscheduled="Unschedulable: 0/3")
    claim = claim_room(pod, ["n1"], now=0.0)

    assert not claim.failed(pod)
    assert claim.failed(pending("a"))
    assert claim.failed(pending("a", unscheduled="Unschedulable: 0/3", nominated_node="n1"))


def test_a_planned_pod_that_is_nominated_to_its_place_is_awaited_there() -> None:
    pod = pending("a", nominated_node="n1")

    assert claim_place(pod, HERE, now=0.0).awaits(pod)
    assert not claim_place(pod, HERE, now=0.0).awaits(pending("a", nominated_node="n2"))
    assert not claim_room(pod, ["n1"], now=0.0).awaits(pod)
