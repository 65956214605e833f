"""Rights come from roles and bindings as RBAC reads them."""

import pytest

from simulator.api_server import ApiServer
from simulator.calls import Call
from simulator.jsons import Raw
from simulator.kinds import parse_path
from simulator.rights import Grant, rights_of
from sources.kube.errors import Forbidden
from tests.raw import raw_lease, raw_object, raw_pod

LEASES = "/apis/coordination.k8s.io/v1/namespaces/bayplan-system/leases"


def role(kind: str, name: str, rules: list[Raw], namespace: str | None = None) -> Raw:
    return raw_object("rbac.authorization.k8s.io/v1", kind, name, namespace=namespace, rules=rules)


def binding(kind: str, name: str, role_kind: str, namespace: str | None = None, account: str = "us") -> Raw:
    subject = {"kind": "ServiceAccount", "name": account, "namespace": "bayplan-system"}
    reference = {"kind": role_kind, "name": name}
    return raw_object(
        "rbac.authorization.k8s.io/v1", kind, name, namespace=namespace, roleRef=reference, subjects=[subject]
    )


PODS = role("ClusterRole", "pods", [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"]}])
OWN_LEASE = role(
    "Role",
    "lease",
    [{"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "resourceNames": ["a"], "verbs": ["get"]}],
    namespace="bayplan-system",
)
BOUND = [
    PODS,
    OWN_LEASE,
    binding("ClusterRoleBinding", "pods", "ClusterRole"),
    binding("RoleBinding", "lease", "Role", namespace="bayplan-system"),
    binding("RoleBinding", "elsewhere", "Role", namespace="shop"),
]


def test_cluster_role_holds_everywhere_for_its_verbs(api: ApiServer) -> None:
    us = api.connect("us", rights_of(BOUND, "us", namespace="bayplan-system"))
    api.put(raw_pod("a"))

    us.request("GET", "/api/v1/pods")
    us.request("GET", "/api/v1/namespaces/default/pods")
    us.stream("/api/v1/pods", query={}, timeout=10)
    with pytest.raises(Forbidden, match='cannot get resource "pods" in API group "" in the namespace "default"'):
        us.request("GET", "/api/v1/namespaces/default/pods/a")
    with pytest.raises(Forbidden, match='cannot list resource "nodes" in API group "" at the cluster scope'):
        us.request("GET", "/api/v1/nodes")


def test_watch_without_the_right_is_refused(api: ApiServer) -> None:
    us = api.connect("us", rights_of(BOUND, "us", namespace="bayplan-system"))

    with pytest.raises(Forbidden, match='cannot watch resource "nodes"'):
        us.stream("/api/v1/nodes", query={}, timeout=10)


def test_a_named_right_is_for_that_object_and_for_no_create(api: ApiServer) -> None:
    us = api.connect("us", rights_of(BOUND, "us", namespace="bayplan-system"))
    api.put(raw_lease("a"), raw_lease("b"))

    us.request("GET", f"{LEASES}/a")
    with pytest.raises(Forbidden):
        us.request("GET", f"{LEASES}/b")
    with pytest.raises(Forbidden):
        us.request("POST", LEASES, body={"metadata": {"name": "a"}})


def test_a_named_right_to_list_is_for_a_list_of_that_name() -> None:
    target = parse_path(LEASES)
    grant = Grant(
        groups=frozenset({"coordination.k8s.io"}),
        resources=frozenset({"leases"}),
        verbs=frozenset({"list"}),
        names=frozenset({"a"}),
    )

    def allowed(**query: str) -> bool:
        return grant.allows(Call(user="us", method="GET", path=LEASES, target=target, query=query))

    assert allowed(fieldSelector="metadata.name=a")
    assert not allowed(fieldSelector="metadata.name=b")
    assert not allowed()


def test_role_holds_in_its_namespace_only(api: ApiServer) -> None:
    us = api.connect("us", rights_of(BOUND, "us", namespace="bayplan-system"))

    with pytest.raises(Forbidden):
        us.request("GET", f"{LEASES.replace('bayplan-system', 'default')}/a")


def test_another_account_and_a_missing_role_have_no_rights(api: ApiServer) -> None:
    dangling = [binding("ClusterRoleBinding", "gone", "ClusterRole")]

    for rights in (
        rights_of(BOUND, "them", namespace="bayplan-system"),
        rights_of(dangling, "us", namespace="bayplan-system"),
    ):
        with pytest.raises(Forbidden):
            api.connect("us", rights).request("GET", "/api/v1/pods")


def test_refused_calls_are_recorded_too(api: ApiServer) -> None:
    with pytest.raises(Forbidden):
        api.connect("us", rights_of([], "us", namespace="bayplan-system")).request("GET", "/api/v1/pods")

    assert [str(call) for call in api.calls] == ["us: list pods /api/v1/pods"]
