"""Company: where required anti-affinity, anybody's, would shut a planned pod out of its node."""

from policies.plans.company import barred
from policies.values.pods import Constraints, Pod, PodTerm
from policies.values.selectors import LabelSelector, Operator, Requirement
from tests.builders import make_node
from tests.policies.plans.making import in_force, make_plan, make_quota, pending

HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
NODES = [make_node("n1"), make_node("n2"), make_node("n3", labels={ZONE: "b"})]
BY_NAME = {node.name: node for node in NODES}
ANYWHERE = LabelSelector((Requirement("team", Operator.EXISTS),))


def _term(
    app: str, key: str = HOST, *, namespaces: tuple[str, ...] = ("default",), **changes: LabelSelector
) -> PodTerm:
    selector = LabelSelector((Requirement("app", Operator.IN, (app,)),))
    return PodTerm(key, selector, frozenset(namespaces), changes.get("namespace_selector"))


def _against(*terms: PodTerm) -> Constraints:
    return Constraints(anti_affinity=terms)


def _barred(pod: Pod, planned: Pod, *, priority: int = 0) -> list[str]:
    force = in_force(make_plan(make_quota(priority=priority)), NODES, [planned])
    return barred(pod, ["n1", "n2", "n3", "n9"], force, BY_NAME)


def test_a_pod_that_wants_no_planned_pod_beside_it_is_kept_off_its_node() -> None:
    assert _barred(pending("a", "api", constraints=_against(_term("web"))), pending("w")) == ["n1"]


def test_a_pod_that_a_planned_one_does_not_want_is_kept_off_too() -> None:
    assert _barred(pending("a", "api"), pending("w", constraints=_against(_term("api")))) == ["n1"]


def test_the_whole_domain_is_closed() -> None:
    assert _barred(pending("a", "api", constraints=_against(_term("web", ZONE))), pending("w")) == ["n1", "n2"]


def test_a_topology_that_the_planned_node_does_not_have_closes_nothing() -> None:
    assert _barred(pending("a", "api", constraints=_against(_term("web", "rack"))), pending("w")) == []


def test_terms_about_others_close_nothing() -> None:
    constraints = _against(_term("db"), _term("web", namespaces=("other",)))

    assert _barred(pending("a", "api", constraints=constraints), pending("w")) == []


def test_a_term_by_labels_of_namespaces_may_speak_of_anybody() -> None:
    term = _term("web", namespaces=(), namespace_selector=ANYWHERE)

    assert _barred(pending("a", "api", constraints=_against(term)), pending("w")) == ["n1"]


def test_a_promise_counts_only_against_equal_and_lower_priorities() -> None:
    pod = pending("a", "api", constraints=_against(_term("web")), priority=1)

    assert _barred(pod, pending("w"), priority=0) == []
    assert _barred(pod, pending("w"), priority=1) == ["n1"]


def test_planned_pods_that_were_never_seen_and_nodes_that_are_not_known_close_nothing() -> None:
    pod = pending("a", "api", constraints=_against(_term("web")))

    unseen = in_force(make_plan(make_quota()), NODES)
    nowhere = in_force(make_plan(make_quota(node="n9")), NODES, [pending("w")])

    assert barred(pod, ["n1"], unseen, BY_NAME) == []
    assert barred(pod, ["n1"], nowhere, BY_NAME) == []
