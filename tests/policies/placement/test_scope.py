"""Whose placement Bayplan has a say in."""

from typing import Any

import pytest

from policies.model.scope import Namespaces, Scope, Selector
from policies.placement.scope import Reach
from policies.values.pods import Owner
from tests.builders import make_pod
from tests.policies.placement.cases import OWN_NAMESPACE

REACH = Reach.of(Scope(pod_selector=Selector(match_labels={"app": "web"})), OWN_NAMESPACE)


def test_a_pod_of_the_named_scheduler_is_in_scope() -> None:
    assert REACH.exemption(make_pod()) is None


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"owner": Owner("DaemonSet", "agent")}, "DaemonSet pod"),
        ({"priority_class": "system-cluster-critical"}, "system-critical pod"),
        ({"priority_class": "system-node-critical"}, "system-critical pod"),
        ({"priority": 2_000_000_000}, "system-critical pod"),
        ({"namespace": OWN_NAMESPACE}, "Bayplan's own namespace"),
        ({"namespace": "kube-system"}, "out of scope: namespace kube-system"),
        ({"scheduler_name": "default-scheduler"}, "out of scope: scheduler default-scheduler"),
        ({"labels": {"app": "db"}}, "out of scope: podSelector"),
    ],
)
def test_pods_we_have_no_say_in(changes: dict[str, Any], why: str) -> None:
    assert REACH.exemption(make_pod(**changes)) == why


def test_a_bare_pod_is_in_scope() -> None:
    assert REACH.exemption(make_pod(owner=None)) is None


def test_with_namespaces_to_include_all_others_are_out_of_scope() -> None:
    reach = Reach.of(Scope(namespaces=Namespaces(include=("shop",))), OWN_NAMESPACE)

    assert reach.exemption(make_pod(namespace="shop")) is None
    assert reach.exemption(make_pod(namespace="default")) == "out of scope: namespace default"
