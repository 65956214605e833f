"""Scheduling gates put on by the API server itself: the policy, its parameter, and the patch that takes a gate off."""

from typing import Any, Final

from bench.holding.stub import HELD, pin
from controlplane.api import Api, ApiRefusedError
from controlplane.objects import Object

GATE: Final = "bayplan.test/plan"
GROUP: Final = "/apis/admissionregistration.k8s.io/v1"
_NAME: Final = "bayplan-hold"
_PARAMETERS: Final = "/api/v1/namespaces/{}/configmaps"
# As it would have to be for plans: the pods of the controllers that the parameter names, while there is one.
_PLANNED: Final = (
    "has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, o.uid in params.data)"
)
_MUTATION: Final = f'Object{{spec: Object.spec{{schedulingGates: [Object.spec.schedulingGates{{name: "{GATE}"}}]}}}}'


def install(api: Api, namespace: str) -> None:
    """Bring in policy and binding; without a parameter nothing is gated."""
    pods = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    policy = {
        "failurePolicy": "Ignore",
        "reinvocationPolicy": "Never",
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "matchConstraints": {"resourceRules": [pods]},
        "matchConditions": [{"name": "planned", "expression": _PLANNED}],
        "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": _MUTATION}}],
    }
    reference = {"name": _NAME, "namespace": namespace, "parameterNotFoundAction": "Allow"}
    api.create(f"{GROUP}/mutatingadmissionpolicies", {"metadata": {"name": _NAME}, "spec": policy})
    binding = {"policyName": _NAME, "paramRef": reference}
    api.create(f"{GROUP}/mutatingadmissionpolicybindings", {"metadata": {"name": _NAME}, "spec": binding})


def activate(api: Api, namespace: str, *controllers: str) -> None:
    """Gate the pods of these controllers (UIDs) from soon on."""
    data = dict.fromkeys(controllers, "")
    api.create(_PARAMETERS.format(namespace), {"metadata": {"name": _NAME}, "data": data})


def deactivate(api: Api, namespace: str) -> None:
    """Gate no more pods; those that are gated stay so."""
    api.delete(_PARAMETERS.format(namespace) + f"/{_NAME}")


def gates(api: Api, namespace: str, pod: Object) -> bool:
    """Return whether a pod would be gated if it were made now."""
    try:
        made = api.call("POST", f"/api/v1/namespaces/{namespace}/pods", pod, dryRun="All")
    except ApiRefusedError as error:
        raise RuntimeError(f"a pod could not even be tried: {error}") from error
    return bool(made["spec"].get("schedulingGates"))


def release(api: Api, namespace: str, pod: Object, nodes: list[str]) -> None:
    """Take the gate off a pod and pin it to its node, in one patch."""
    only = {"key": "metadata.name", "operator": "In", "values": [pin(pod, nodes)]}
    required = {"nodeSelectorTerms": [{"matchFields": [only]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    change: dict[str, Any] = {"spec": {"schedulingGates": None, "affinity": affinity}}
    api.patch(f"/api/v1/namespaces/{namespace}/pods/{pod['metadata']['name']}", change)


__all__ = ["GATE", "GROUP", "HELD", "activate", "deactivate", "gates", "install", "release"]
