"""Where a pod may stand, out of its spec: required terms only, as preferences refuse no node."""

from collections.abc import Mapping
from typing import Any, Final

from policies.values.pods import UNCONSTRAINED, Constraints, HostPort, PodTerm, SpreadConstraint, Toleration
from policies.values.selectors import LabelSelector, Operator, Requirement
from sources.kube.decoding.selectors import label_selector, node_terms
from sources.kube.decoding.sharing import Shared, word

_Raw = Mapping[str, Any]
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"


def pod_constraints(spec: _Raw, *, namespace: str, labels: Mapping[str, str]) -> Constraints:
    """Return the pod's constraints, one object for all pods that say the same.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: a part is malformed.
    """
    affinity = spec.get("affinity")
    spread = spec.get("topologySpreadConstraints")
    return _CONSTRAINTS.of(
        spec.get("nodeSelector"),
        spec.get("tolerations"),
        [affinity, namespace if affinity else None],
        [spread, labels if spread and any("matchLabelKeys" in one for one in spread) else None],
        _host_ports(spec),
    )


def repelling_constraints(spec: _Raw, *, namespace: str) -> Constraints:
    """Return of the pod's constraints only what keeps other pods away: required anti-affinity, and host ports.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: a part is malformed.
    """
    anti, ports = (spec.get("affinity") or {}).get("podAntiAffinity"), _host_ports(spec)
    if not ports and not (anti and anti.get(_REQUIRED)):
        return UNCONSTRAINED
    return _CONSTRAINTS.of(None, None, [{"podAntiAffinity": anti}, namespace], [None, None], ports)


def _host_ports(spec: _Raw) -> list[_Raw]:
    """Collect ports taken on the node; an init container holds one only when it keeps running (a sidecar)."""
    sidecars = [one for one in spec.get("initContainers") or () if one.get("restartPolicy") == "Always"]
    return [
        port
        for container in [*spec["containers"], *sidecars]
        for port in container.get("ports") or ()
        if port.get("hostPort")
    ]


def _decode(
    node_selector: _Raw | None,
    tolerations: list[_Raw] | None,
    affinity_in: list[Any],
    spread_for: list[Any],
    ports: list[_Raw],
) -> Constraints:
    affinity, namespace = affinity_in[0] or {}, affinity_in[1]
    return Constraints(
        node_selector=tuple((word(key), word(value)) for key, value in (node_selector or {}).items()),
        node_terms=node_terms((affinity.get("nodeAffinity") or {}).get(_REQUIRED)),
        tolerations=tuple(_toleration(one) for one in tolerations or ()),
        affinity=_pod_terms(affinity.get("podAffinity"), namespace),
        anti_affinity=_pod_terms(affinity.get("podAntiAffinity"), namespace),
        spread=tuple(
            _spread(one, spread_for[1] or {})
            for one in spread_for[0] or ()
            if one.get("whenUnsatisfiable") == "DoNotSchedule"
        ),
        host_ports=tuple(_host_port(one) for one in ports),
    )


def _toleration(raw: _Raw) -> Toleration:
    return Toleration(
        key=raw.get("key") or "",
        operator=raw.get("operator") or "Equal",
        value=raw.get("value") or "",
        effect=raw.get("effect") or "",
    )


def _pod_terms(raw: _Raw | None, namespace: str) -> tuple[PodTerm, ...]:
    return tuple(_pod_term(one, namespace) for one in (raw or {}).get(_REQUIRED) or ())


def _pod_term(raw: _Raw, namespace: str) -> PodTerm:
    named, selected = raw.get("namespaces") or (), raw.get("namespaceSelector")
    own = (namespace,) if not named and selected is None else ()
    return PodTerm(
        topology_key=raw["topologyKey"],
        selector=label_selector(raw.get("labelSelector")),
        namespaces=frozenset((*named, *own)),
        namespace_selector=label_selector(selected),
    )


def _spread(raw: _Raw, labels: Mapping[str, str]) -> SpreadConstraint:
    return SpreadConstraint(
        topology_key=raw["topologyKey"],
        max_skew=int(raw["maxSkew"]),
        selector=_narrowed(label_selector(raw.get("labelSelector")), raw.get("matchLabelKeys") or (), labels),
        min_domains=int(raw.get("minDomains") or 1),
        honour_affinity=raw.get("nodeAffinityPolicy") != "Ignore",
        honour_taints=raw.get("nodeTaintsPolicy") == "Honor",
    )


def _narrowed(selector: LabelSelector | None, keys: Any, labels: Mapping[str, str]) -> LabelSelector | None:  # noqa: ANN401
    """Add `matchLabelKeys`: the pod's own values of these labels; newer API servers have written them in already."""
    if selector is None:
        return None
    own = tuple(Requirement(key, Operator.IN, (labels[key],)) for key in keys if key in labels)
    return LabelSelector(selector.requirements + tuple(one for one in own if one not in selector.requirements))


def _host_port(raw: _Raw) -> HostPort:
    address = raw.get("hostIP")
    protocol = raw.get("protocol") or "TCP"
    port = int(raw["hostPort"])
    return HostPort(port, protocol, address) if address else HostPort(port, protocol)


_CONSTRAINTS: Final = Shared(_decode)
