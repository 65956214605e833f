"""From the labels of a series to the name of what it measures; it reads no value.

A node is found by the labels that the policy names, tried in turn; their value may be its name, an address of it, or
either with a port. A pod needs a namespace and a pod label, a workload a namespace and a workload label. Containers'
series of cAdvisor on its own carry Kubernetes' labels under a prefix: those are tried last, whatever the policy says.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final, Protocol

from policies.values.nodes import Node

NOBODY: Final = ""
_CADVISOR: Final = "container_label_io_kubernetes_pod_"
_CADVISOR_POD: Final = f"{_CADVISOR}name"
_CADVISOR_NAMESPACE: Final = f"{_CADVISOR}namespace"
Labels = Mapping[str, str]


class Naming(Protocol):
    """One way of finding names."""

    @property
    def what(self) -> str:
        """Say what is named: `node`, `pod` or `workload`."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels that are looked at, in order."""
        ...

    def known(self, labels: Labels) -> str | None:
        """Return the name of an object that exists, `NOBODY` where labels name another, None where they name none."""
        ...


class NodeNames:
    """Nodes by name and address. An address that two nodes claim names neither."""

    what = "node"

    def __init__(self, nodes: Mapping[str, Node], labels: Iterable[str]) -> None:
        self.labels = tuple(labels)
        self._by_address = _by_address(nodes)

    def known(self, labels: Labels) -> str | None:
        """Return the node of the first label whose value is one."""
        found: str | None = None
        for label in self.labels:
            value = labels.get(label)
            if value is not None:
                node = self._by_address.get(value) or self._by_address.get(without_port(value))
                if node is not None:
                    return node
                found = NOBODY
        return found


class PodNames:
    """Pods by `namespace/name`; with `live` None every name is taken as it stands."""

    what = "pod"

    def __init__(self, live: Collection[str] | None, *, namespaces: Iterable[str], pods: Iterable[str]) -> None:
        self._live = live
        self._namespaces = (*namespaces, _CADVISOR_NAMESPACE)
        self._pods = (*pods, _CADVISOR_POD)
        self.labels = (*self._namespaces, *self._pods)

    def claimed(self, labels: Labels) -> str | None:
        """Return `namespace/name` of the first label of each kind that is not empty."""
        namespace, pod = _first(labels, self._namespaces), _first(labels, self._pods)
        return f"{namespace}/{pod}" if namespace and pod else None

    def known(self, labels: Labels) -> str | None:
        """Return the name of a live pod: series of deleted ones linger for minutes."""
        name = self.claimed(labels)
        return name if name is None or self._live is None or name in self._live else NOBODY


class WorkloadNames:
    """Workloads by `namespace/name`; which of them exist is for the reader of the grid to know."""

    what = "workload"

    def __init__(self, *, namespaces: Iterable[str], workloads: Iterable[str]) -> None:
        self._namespaces = (*namespaces, _CADVISOR_NAMESPACE)
        self._workloads = tuple(workloads)
        self.labels = (*self._namespaces, *self._workloads)

    def claimed(self, labels: Labels) -> str | None:
        """Return `namespace/name` of the first label of each kind that is not empty."""
        namespace, workload = _first(labels, self._namespaces), _first(labels, self._workloads)
        return f"{namespace}/{workload}" if namespace and workload else None

    def known(self, labels: Labels) -> str | None:
        """Return the same."""
        return self.claimed(labels)


def without_port(value: str) -> str:
    """Return the host of `host`, `host:port` or `[address]:port`; a bare IPv6 address stays as it is."""
    if value.startswith("["):
        return value[1:].partition("]")[0]
    host, _, port = value.rpartition(":")
    return host if host and port.isdigit() and ":" not in host else value


def _first(labels: Labels, wanted: Iterable[str]) -> str | None:
    for label in wanted:  # a loop, as this runs 300,000 times a poll: a generator costs three times as much
        value = labels.get(label)
        if value:
            return value
    return None


def _by_address(nodes: Mapping[str, Node]) -> dict[str, str]:
    found: dict[str, str] = {}
    shared: set[str] = set()
    for name, node in nodes.items():
        for address in dict.fromkeys(node.addresses):
            if found.setdefault(address, name) != name:
                shared.add(address)
    for address in shared:
        del found[address]
    return found | {name: name for name in nodes}  # a node's own name goes before another one's address
