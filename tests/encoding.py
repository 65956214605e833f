"""Values of `tests.builders` as raw Kubernetes objects; decoding them gives the same values back."""

from collections.abc import Iterable

from policies.values.nodes import Node
from policies.values.pods import Constraints, HostPort, Pod, PodTerm, SpreadConstraint, Toleration
from policies.values.resources import CPU, PODS, Resources
from policies.values.selectors import LabelSelector, NodeSelectorTerm, Operator, Requirement
from simulator.jsons import Raw, timestamp
from tests.builders import NOW


def node_json(node: Node) -> Raw:
    """Return the raw object of a node value."""
    meta: Raw = {"name": node.name, "uid": node.uid, "creationTimestamp": timestamp(node.created_at)}
    meta |= {"labels": dict(node.labels), "annotations": dict(node.annotations)}
    if node.terminating:
        meta["deletionTimestamp"] = timestamp(NOW)
    spec: Raw = {"taints": [{"key": taint.key, "value": taint.value, "effect": taint.effect} for taint in node.taints]}
    if node.cordoned:
        spec["unschedulable"] = True
    status = {
        "allocatable": _quantities(node.allocatable),
        "addresses": [{"type": "InternalIP", "address": address} for address in node.addresses],
        "conditions": [_condition("Ready", holds=node.ready, since=node.created_at)],
    }
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": spec, "status": status}


def pod_json(pod: Pod) -> Raw:
    """Return the raw object of a pod value, its requests in one container."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _pod_metadata(pod),
        "spec": _pod_spec(pod),
        "status": _pod_status(pod),
    }


def _pod_metadata(pod: Pod) -> Raw:
    meta: Raw = {"namespace": pod.namespace, "name": pod.name, "uid": pod.uid}
    meta |= {"creationTimestamp": timestamp(pod.created_at), "labels": dict(pod.labels)}
    mirror = {"kubernetes.io/config.mirror": "mirror"} if pod.static else {}
    meta["annotations"] = dict(pod.annotations) | mirror
    if pod.owner is not None:
        version = {"Job": "batch/v1", "ReplicationController": "v1", "Node": "v1"}.get(pod.owner.kind, "apps/v1")
        owner = {"apiVersion": version, "kind": pod.owner.kind, "name": pod.owner.name, "uid": pod.owner.uid}
        meta["ownerReferences"] = [owner | {"controller": True}]
    if pod.terminating:
        meta["deletionTimestamp"] = timestamp(NOW + pod.grace_seconds)
        meta["deletionGracePeriodSeconds"] = int(pod.grace_seconds)
    return meta


def _pod_spec(pod: Pod) -> Raw:
    requests = Resources({name: amount for name, amount in pod.requests.amounts.items() if name != PODS})
    container: Raw = {"name": "main", "image": "example.invalid/main"}
    container["resources"] = {"requests": _quantities(requests)}
    container["ports"] = [_port(port) for port in pod.constraints.host_ports]
    disks = [{"name": name, "emptyDir": {}} for name in pod.local_storage]
    claims = [{"name": f"claim-{name}", "persistentVolumeClaim": {"claimName": name}} for name in pod.claims]
    spec: Raw = {
        "schedulerName": pod.scheduler_name,
        "terminationGracePeriodSeconds": int(pod.grace_seconds),
        "priority": pod.priority,
        "containers": [container],
        "volumes": [*disks, *claims],
        **_placement(pod.constraints),
    }
    spec |= {"nodeName": pod.node} if pod.node else {}
    spec |= {"priorityClassName": pod.priority_class} if pod.priority_class else {}
    spec |= {"schedulingGates": [{"name": "example.invalid/gate"}]} if pod.gated else {}
    return spec


def _pod_status(pod: Pod) -> Raw:
    status: Raw = {"phase": pod.phase.value, "conditions": []}
    if pod.bound_at is not None or pod.unschedulable_since is not None:
        since = pod.bound_at if pod.bound_at is not None else pod.unschedulable_since
        scheduled = _condition("PodScheduled", holds=pod.bound_at is not None, since=since or 0.0)
        reason, _, message = (pod.unscheduled or "Unschedulable: ").partition(": ")
        words = {} if pod.bound_at is not None else {"reason": reason, "message": message}
        status["conditions"].append(scheduled | words)
    if pod.ready or pod.ready_since is not None:
        status["conditions"].append(_condition("Ready", holds=pod.ready, since=pod.ready_since or pod.created_at))
    if pod.started_at is not None:
        status["startTime"] = timestamp(pod.started_at)
    if pod.nominated_node:
        status["nominatedNodeName"] = pod.nominated_node
    return status


def _placement(limits: Constraints) -> Raw:
    spec: Raw = {"nodeSelector": dict(limits.node_selector), "affinity": {}}
    if limits.node_terms is not None:
        terms = [_node_term(term) for term in limits.node_terms]
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        spec["affinity"]["nodeAffinity"] = required
    for name, pod_terms in (("podAffinity", limits.affinity), ("podAntiAffinity", limits.anti_affinity)):
        if pod_terms:
            terms = [_pod_term(term) for term in pod_terms]
            spec["affinity"][name] = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    spec["tolerations"] = [_toleration(toleration) for toleration in limits.tolerations]
    spec["topologySpreadConstraints"] = [_spread(constraint) for constraint in limits.spread]
    return spec


def _node_term(term: NodeSelectorTerm) -> Raw:
    return {"matchExpressions": _requirements(term.expressions), "matchFields": _requirements(term.fields)}


def _pod_term(term: PodTerm) -> Raw:
    raw: Raw = {"topologyKey": term.topology_key, "namespaces": sorted(term.namespaces)}
    raw |= {} if term.selector is None else {"labelSelector": selector_json(term.selector)}
    return raw | (
        {} if term.namespace_selector is None else {"namespaceSelector": selector_json(term.namespace_selector)}
    )


def _toleration(toleration: Toleration) -> Raw:
    raw = {"key": toleration.key, "operator": toleration.operator, "value": toleration.value}
    return {name: value for name, value in (raw | {"effect": toleration.effect}).items() if value}


def _spread(constraint: SpreadConstraint) -> Raw:
    raw: Raw = {
        "topologyKey": constraint.topology_key,
        "maxSkew": constraint.max_skew,
        "whenUnsatisfiable": "DoNotSchedule",
        "minDomains": constraint.min_domains,
        "nodeAffinityPolicy": "Honor" if constraint.honour_affinity else "Ignore",
        "nodeTaintsPolicy": "Honor" if constraint.honour_taints else "Ignore",
    }
    return raw | ({} if constraint.selector is None else {"labelSelector": selector_json(constraint.selector)})


def _port(port: HostPort) -> Raw:
    return {"containerPort": port.port, "hostPort": port.port, "protocol": port.protocol, "hostIP": port.address}


def selector_json(selector: LabelSelector) -> Raw:
    """Return the raw form of a label selector."""
    return {"matchExpressions": _requirements(selector.requirements)}


def _requirements(requirements: Iterable[Requirement]) -> list[Raw]:
    valueless = {Operator.EXISTS, Operator.DOES_NOT_EXIST}
    return [
        {"key": entry.key, "operator": entry.operator.value}
        | ({} if entry.operator in valueless else {"values": list(entry.values)})
        for entry in requirements
    ]


def _quantities(amounts: Resources) -> dict[str, str]:
    return {name: f"{amount}m" if name == CPU else str(amount) for name, amount in amounts.amounts.items()}


def _condition(kind: str, *, holds: bool, since: float) -> Raw:
    return {"type": kind, "status": "True" if holds else "False", "lastTransitionTime": timestamp(since)}
