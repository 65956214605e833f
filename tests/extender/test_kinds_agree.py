"""Both services take a pod for the same kind, whatever its requests look like and whichever way they heard of it."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from policies.plans.quotas import kind, kind_of, place_of
from policies.values.plans import Quota
from policies.values.workloads import WorkloadRef
from sources.kube.decoding.pods import decode_lean_pod, decode_pod
from sources.kube.plans import decode_plan, encode_plan
from tests.policies.plans.making import make_plan

AMOUNTS = {
    "cpu": ["0", "1", "0.5", "250m", "0.0001", "1e1"],
    "memory": ["0", "64Mi", "1G", "128974848", "100m", "1.5Gi", "1e9"],
    "ephemeral-storage": ["1Gi", "0"],
    "hugepages-2Mi": ["4Mi"],
    "example.com/gpu": ["1", "0", "2"],
}


def _requests() -> st.SearchStrategy[dict[str, str] | None]:
    drawn = {name: st.sampled_from(values) for name, values in AMOUNTS.items()}
    return st.none() | st.fixed_dictionaries({}, optional=drawn)


def _containers(prefix: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    one = st.tuples(_requests(), st.sampled_from([None, "Always"]))
    return st.lists(one, max_size=3).map(
        lambda drawn: [
            {"name": f"{prefix}{at}", "resources": {"requests": requests}, "restartPolicy": policy}
            for at, (requests, policy) in enumerate(drawn)
        ]
    )


@st.composite
def raw_pods(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a running pod of a ReplicaSet, some of whose containers were resized."""
    containers, init = draw(_containers("c")), draw(_containers("i"))
    granted = [{"name": one["name"], "resources": {"requests": draw(_requests())}} for one in containers]
    return {
        "metadata": {
            "name": "web-1",
            "namespace": "default",
            "uid": "u1",
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "ownerReferences": [{"kind": "ReplicaSet", "name": "web-rs", "uid": "o", "controller": True}],
        },
        "spec": {
            "containers": containers,
            "initContainers": init,
            "nodeName": "n1",
            "overhead": draw(_requests()),
            "resources": {"requests": draw(_requests())},
        },
        "status": {"phase": "Running", "containerStatuses": draw(st.sampled_from([None, granted]))},
    }


@given(raw_pods())
def test_a_quota_made_from_a_whole_pod_counts_the_lean_one(raw: dict[str, Any]) -> None:
    whole, lean = decode_pod(raw), decode_lean_pod(raw)
    controller = WorkloadRef("ReplicaSet", "default", "web-rs")
    plan = make_plan(Quota(controller=controller, node="n1", wanted=1, requests=whole.requests))
    written = encode_plan(plan, "bayplan-system")
    written["metadata"] |= {"uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"}

    (quota,) = decode_plan(json.loads(json.dumps(written))).quotas

    assert kind_of(lean) == place_of(quota).kind == kind(controller, whole.requests)
