"""The policy's queries by name, and which age stands beside which; asks nothing.

Names as they appear in logs, metrics and `failures`: `cpu.node`, `cpu.age`, `slo/frontend-p99`, `slo/frontend-p99.age`.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from policies.model.policy import Policy

_AGE_OF: Final = {"node": "age", "pressure": "age", "pod": "pod_age"}


def resource_queries(policy: Policy, fields: Iterable[str], *, resource: str | None = None) -> dict[str, str]:
    """Return the queries of these fields that the policy has, of all resources or of one."""
    wanted = tuple(fields)
    return {
        f"{name}.{field}": query
        for name, signal in policy.signals.resources.items()
        if resource in {None, name}
        for field in wanted
        if (query := getattr(signal, field)) is not None
    }


def slo_queries(policy: Policy) -> dict[str, str]:
    """Return every indicator and its age."""
    found: dict[str, str] = {}
    for slo in policy.slos:
        found[slo_name(slo.name)] = slo.indicator
        if slo.age is not None:
            found[f"{slo_name(slo.name)}.age"] = slo.age
    return found


def slo_name(name: str) -> str:
    """Return the name of an indicator's query."""
    return f"slo/{name}"


def age_name(name: str, queries: Mapping[str, str]) -> str | None:
    """Return the name of the age query beside a query, None where the policy has none."""
    if name.startswith("slo/"):
        age = f"{name}.age"
    else:
        resource, _, field = name.rpartition(".")
        age = f"{resource}.{_AGE_OF.get(field, '')}"
    return age if age in queries else None


def all_queries(policy: Policy) -> dict[str, str]:
    """Return every query of the policy by name."""
    fields = ("node", "pressure", "pod", "workload", "age", "pod_age")
    return resource_queries(policy, fields) | slo_queries(policy)
