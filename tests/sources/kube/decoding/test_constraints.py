"""Required constraints are kept with Kubernetes' defaults filled in; preferences are not."""

from typing import Any

import pytest

from policies.values.pods import Constraints, HostPort, PodTerm, SpreadConstraint, Toleration
from policies.values.selectors import LabelSelector, NodeSelectorTerm, Operator, Requirement
from sources.kube.decoding.constraints import pod_constraints

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
WEB = {"matchLabels": {"app": "web"}}
IS_WEB = LabelSelector((Requirement("app", Operator.IN, ("web",)),))


def constraints(*, labels: dict[str, str] | None = None, **spec: Any) -> Constraints:
    return pod_constraints({"containers": [], **spec}, namespace="shop", labels=labels or {})


def test_selector_and_tolerations() -> None:
    found = constraints(nodeSelector={"disk": "ssd"}, tolerations=[{"operator": "Exists"}, {"key": "a", "value": "b"}])

    assert found.node_selector == (("disk", "ssd"),)
    assert found.tolerations == (Toleration(operator="Exists"), Toleration(key="a", value="b"))


def test_node_affinity_keeps_alternatives_and_fields() -> None:
    term = {
        "matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a"]}],
        "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}],
    }

    found = constraints(affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}})

    zone, name = Requirement("zone", Operator.NOT_IN, ("a",)), Requirement("metadata.name", Operator.IN, ("n1",))
    assert found.node_terms == (NodeSelectorTerm((zone,), (name,)),)


def test_no_node_affinity_differs_from_one_without_terms() -> None:
    assert constraints().node_terms is None
    assert constraints(affinity={"nodeAffinity": {REQUIRED: {}}}).node_terms == ()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({}, PodTerm("h", IS_WEB, frozenset({"shop"}))),
        ({"namespaces": ["a", "b"]}, PodTerm("h", IS_WEB, frozenset({"a", "b"}))),
        ({"namespaceSelector": {}}, PodTerm("h", IS_WEB, frozenset(), LabelSelector())),
        ({"labelSelector": None}, PodTerm("h", None, frozenset({"shop"}))),
    ],
    ids=["own namespace", "named", "all namespaces", "matches nothing"],
)
def test_pod_terms_know_their_namespaces(raw: dict[str, Any], expected: PodTerm) -> None:
    term = {"topologyKey": "h", "labelSelector": WEB} | raw

    found = constraints(affinity={"podAffinity": {REQUIRED: [term]}, "podAntiAffinity": {REQUIRED: [term, term]}})

    assert found.affinity == (expected,)
    assert found.anti_affinity == (expected, expected)


def test_equal_affinity_in_two_namespaces_is_not_shared() -> None:
    spec: dict[str, Any] = {
        "containers": [],
        "affinity": {"podAffinity": {REQUIRED: [{"topologyKey": "h", "labelSelector": WEB}]}},
    }

    here = pod_constraints(spec, namespace="here", labels={})
    there = pod_constraints(spec, namespace="there", labels={})

    assert here.affinity[0].namespaces != there.affinity[0].namespaces


def spread(**more: Any) -> dict[str, Any]:
    return {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": WEB} | more


def test_hard_spread_is_kept_and_soft_spread_is_not() -> None:
    found = constraints(topologySpreadConstraints=[spread(), spread(whenUnsatisfiable="ScheduleAnyway")])

    assert found.spread == (SpreadConstraint("zone", 1, IS_WEB),)


def test_spread_policies_and_domains() -> None:
    odd = spread(minDomains=3, nodeAffinityPolicy="Ignore", nodeTaintsPolicy="Honor", labelSelector=None)

    (found,) = constraints(topologySpreadConstraints=[odd]).spread

    assert (found.min_domains, found.honour_affinity, found.honour_taints, found.selector) == (3, False, True, None)


def test_match_label_keys_narrow_the_selector_to_the_pods_own_values() -> None:
    raw = [spread(matchLabelKeys=["pod-template-hash", "absent"])]

    (found,) = constraints(labels={"pod-template-hash": "1"}, topologySpreadConstraints=raw).spread
    (other,) = constraints(labels={"pod-template-hash": "2"}, topologySpreadConstraints=raw).spread

    own = Requirement("pod-template-hash", Operator.IN, ("1",))
    assert found.selector == LabelSelector((*IS_WEB.requirements, own))
    assert other.selector != found.selector


def test_host_ports_of_containers_and_sidecars() -> None:
    def port(number: int, **more: Any) -> dict[str, Any]:
        return {"ports": [{"containerPort": 1, "hostPort": number} | more, {"containerPort": 2}]}

    found = constraints(
        containers=[port(80), port(53, protocol="UDP", hostIP="10.0.0.1")],
        initContainers=[port(90), port(91) | {"restartPolicy": "Always"}],
    )

    assert found.host_ports == (HostPort(80), HostPort(53, "UDP", "10.0.0.1"), HostPort(91))
