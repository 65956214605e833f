"""Paths name kinds as the API server's do."""

import pytest

from simulator.failures import Failure
from simulator.kinds import kind_of, parse_path


@pytest.mark.parametrize(
    ("path", "kind", "namespace", "name", "subresource"),
    [
        ("/api/v1/pods", "Pod", None, None, ""),
        ("/api/v1/namespaces/shop/pods/web-0/eviction", "Pod", "shop", "web-0", "eviction"),
        ("/api/v1/namespaces/shop", "Namespace", None, "shop", ""),
        ("/api/v1/namespaces/shop/status", "Namespace", None, "shop", "status"),
        ("/api/v1/nodes/n1", "Node", None, "n1", ""),
        ("/apis/metrics.k8s.io/v1beta1/nodes", "NodeMetrics", None, None, ""),
        ("/apis/bayplan.dev/v1alpha1/namespaces/b/evictionrecords/u1", "EvictionRecord", "b", "u1", ""),
    ],
)
def test_path(path: str, kind: str, namespace: str | None, name: str | None, subresource: str) -> None:
    target = parse_path(path)

    assert (target.kind.name, target.namespace, target.name, target.subresource) == (kind, namespace, name, subresource)


@pytest.mark.parametrize(
    "path", ["/", "/healthz", "/api/v1", "/api/v2/pods", "/apis/apps/v1/pods", "/api/v1/pods/a/b/c/d"]
)
def test_unknown_path_is_not_found(path: str) -> None:
    with pytest.raises(Failure, match="could not find the requested resource") as failure:
        parse_path(path)

    assert failure.value.status == 404


def test_unknown_kind_says_where_to_add_it() -> None:
    with pytest.raises(ValueError, match=r"no kind 'Gadget' in apiVersion 'v1' is known; add it to simulator/kinds.py"):
        kind_of({"apiVersion": "v1", "kind": "Gadget"})
