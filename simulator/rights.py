"""RBAC as far as roles and bindings of ServiceAccounts go: which calls somebody may make; grants nothing by itself."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from simulator.calls import Call
from simulator.failures import Failure
from simulator.jsons import Raw

_BY_NAME: Final = "metadata.name="


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One rule of a role as it holds for somebody: `namespace` None is everywhere, empty `names` any name."""

    groups: frozenset[str]
    resources: frozenset[str]
    verbs: frozenset[str]
    names: frozenset[str] = frozenset()
    namespace: str | None = None

    def allows(self, call: Call) -> bool:
        """Tell whether this rule allows a call; a rule with names never allows a create or a whole list.

        A list or watch that selects `metadata.name` is one of that name, as for the API server.
        """
        return (
            self.namespace in {None, call.target.namespace}
            and call.target.kind.group in self.groups
            and call.resource in self.resources
            and call.verb in self.verbs
            and (not self.names or (call.target.name or _selected(call)) in self.names)
        )


def _selected(call: Call) -> str | None:
    selector = call.query.get("fieldSelector", "")
    return selector.removeprefix(_BY_NAME) if selector.startswith(_BY_NAME) else None


@dataclass(frozen=True, slots=True)
class Rights:
    """Everything that somebody may do."""

    grants: tuple[Grant, ...]

    def check(self, call: Call) -> None:
        """Let an allowed call pass.

        Raises:
            Failure: 403, in the words of the API server.
        """
        if any(grant.allows(call) for grant in self.grants):
            return
        namespace, group = call.target.namespace, call.target.kind.group
        where = f'in the namespace "{namespace}"' if namespace is not None else "at the cluster scope"
        what = f'{call.resource} is forbidden: User "{call.user}" cannot {call.verb} resource "{call.resource}"'
        raise Failure(403, "Forbidden", f'{what} in API group "{group}" {where}')


def rights_of(objects: Iterable[Raw], account: str, *, namespace: str) -> Rights:
    """Return what roles and bindings among some objects give a ServiceAccount; a role not among them gives nothing."""
    known = list(objects)
    roles = {(raw["kind"], raw["metadata"].get("namespace"), raw["metadata"]["name"]): raw for raw in known}
    grants: list[Grant] = []
    for binding in known:
        if binding["kind"] not in {"RoleBinding", "ClusterRoleBinding"} or not _binds(binding, account, namespace):
            continue
        where = binding["metadata"].get("namespace") if binding["kind"] == "RoleBinding" else None
        reference = binding["roleRef"]
        role = roles.get((reference["kind"], where if reference["kind"] == "Role" else None, reference["name"]), {})
        grants += [_grant(rule, where) for rule in role.get("rules", ())]
    return Rights(tuple(grants))


def _binds(binding: Raw, account: str, namespace: str) -> bool:
    subject = {"kind": "ServiceAccount", "name": account, "namespace": namespace}
    return any(subject.items() <= given.items() for given in binding["subjects"])


def _grant(rule: dict[str, Any], namespace: str | None) -> Grant:
    return Grant(
        groups=frozenset(rule["apiGroups"]),
        resources=frozenset(rule["resources"]),
        verbs=frozenset(rule["verbs"]),
        names=frozenset(rule.get("resourceNames", ())),
        namespace=namespace,
    )
