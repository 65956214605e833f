"""Reads the examples of rails in tests/cases/rails into situations; what an example may say is what is read here.

An example is accepted unless it says `refused` (a part of the message) and, if not the pod alone, `scope`. All times
are seconds before now. Without further words `web-0` on n1 is looked at, with two siblings on n2 and n3.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from policies.model.policy import Policy
from policies.model.prometheus import Prometheus
from policies.rails.situation import Situation
from policies.values.candidates import Candidate, Victim
from policies.values.clusters import Cluster
from policies.values.nodes import Node, Taint
from policies.values.pdbs import Pdb
from policies.values.pods import Owner, Phase, Pod
from policies.values.records import EvictionRecord, Landing, RecordState
from policies.values.selectors import LabelSelector, NodeSelectorTerm, Operator, Requirement
from policies.values.volumes import Claim, Volume
from policies.values.workloads import Workload
from tests.builders import NOW, make_cluster, make_node, make_pod, make_workload
from tests.policies.situations import make_candidate, make_policy, make_record, make_situation

FOLDER = Path(__file__).parents[2] / "cases" / "rails"
KEYS = frozenset(
    [
        "name",
        "pod",
        "others",
        "nodes",
        "workload",
        "unknown",
        "unread",
        "policy",
        "prometheus",
        "observing",
        "records",
        "victims",
        "proposed",
        "pdbs",
        "claims",
        "volumes",
        "unreadable",
        "refused",
        "scope",
    ]
)


@dataclass(frozen=True, slots=True)
class Example:
    """One example of one rail."""

    rail: str
    data: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.rail}: {self.data['name']}"

    @property
    def refused(self) -> str | None:
        """A part of the message it is refused with, None where it is accepted."""
        return self.data.get("refused")

    def set_up(self) -> tuple[Candidate, Situation]:
        """Return the candidate and the situation it is in."""
        given = self.data
        subject = _pod({"name": "web-0", **given.get("pod", {})})
        siblings = given.get("others", [{"name": "web-1", "node": "n2"}, {"name": "web-2", "node": "n3"}])
        others = [_pod({"owner": given.get("pod", {}).get("owner", ...), "node": "n2"} | each) for each in siblings]
        cluster = _cluster(given, [subject, *others])
        named = {pod.name: pod for pod in (subject, *others)}
        situation = make_situation(
            cluster,
            policy=_policy(given),
            observing=given.get("observing", False),
            records=tuple(_record(each) for each in given.get("records", [])),
            victims=tuple(_victim(named[name]) for name in given.get("victims", [])),
            proposed=frozenset(f"uid-{name}" for name in given.get("proposed", [])),
        )
        return make_candidate(subject, node=subject.node or "n1"), situation


def read_examples() -> list[Example]:
    """Return all examples of all files."""
    examples = [
        Example(path.stem, data)
        for path in sorted(FOLDER.glob("*.yaml"))
        for data in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]
    unknown = {str(example): set(example.data) - KEYS for example in examples if set(example.data) - KEYS}
    if unknown:
        raise ValueError(f"keys that no example may have: {unknown}; allowed are {sorted(KEYS)}")
    return examples


def _cluster(given: Mapping[str, Any], pods: list[Pod]) -> Cluster:
    claims = (Claim(namespace="default", **each) for each in given.get("claims", []))
    volumes = (_volume(each) for each in given.get("volumes", []))
    cluster = make_cluster(
        [_node(each) for each in given.get("nodes", [{"name": "n1"}, {"name": "n2"}, {"name": "n3"}])],
        pods,
        [_workload(given["workload"])] if "workload" in given else [],
        pdbs=tuple(_pdb(each) for each in given.get("pdbs", [])),
        claims={f"{claim.namespace}/{claim.name}": claim for claim in claims},
        volumes={volume.name: volume for volume in volumes},
        unreadable=given.get("unreadable", {}),
    )
    if given.get("unknown"):
        return replace(cluster, workload_of={}, workloads={})
    return replace(cluster, workloads={}) if given.get("unread") else cluster


def _policy(given: Mapping[str, Any]) -> Policy:
    policy = make_policy(**_snake(given.get("policy", {})))
    if "prometheus" not in given:
        return policy
    signals = policy.signals.model_copy(update={"prometheus": Prometheus(url=given["prometheus"])})
    return policy.model_copy(update={"signals": signals})


def _pod(data: Mapping[str, Any]) -> Pod:
    changes = _snake(data)
    owner = changes.pop("owner", ...)
    if owner is not ...:
        changes["owner"] = None if owner is None else Owner(**owner)
    if "phase" in changes:
        changes["phase"] = Phase(changes["phase"])
    if "age" in changes:
        changes["started_at"] = changes["ready_since"] = _before(changes.pop("age"))
    if "ready_age" in changes:
        changes["ready_since"] = _before(changes.pop("ready_age"))
    return make_pod(**_tuples(changes))


def _node(data: Mapping[str, Any]) -> Node:
    taints = tuple(Taint(*_key_and_effect(text)) for text in data.get("taints", []))
    return make_node(**(dict(data) | {"taints": taints}))


def _key_and_effect(text: str) -> tuple[str, str, str]:
    key, _, effect = text.partition(":")
    return key, "", effect


def _volume(data: Mapping[str, Any]) -> Volume:
    changes = _snake(data)
    labels = changes.pop("node_terms", None)
    terms = None if labels is None else (NodeSelectorTerm(tuple(_exactly(*label) for label in labels.items())),)
    return Volume(node_terms=terms, **changes)


def _workload(data: Mapping[str, Any]) -> Workload:
    return make_workload(**_snake(data))


def _pdb(data: Mapping[str, Any]) -> Pdb:
    changes = {"namespace": "default", "selector": {"app": "web"}} | _snake(data)
    labels = changes.pop("selector")
    selector = None if labels is None else LabelSelector(tuple(_exactly(*label) for label in labels.items()))
    return Pdb(selector=selector, disruptions_allowed=changes.pop("allowed"), **changes)


def _exactly(key: str, value: str) -> Requirement:
    return Requirement(key, Operator.IN, (value,))


def _record(data: Mapping[str, Any]) -> EvictionRecord:
    changes = _snake(data)
    if "state" in changes:
        changes["state"] = RecordState(changes["state"])
    if "landing" in changes:
        changes["landing"] = Landing(changes["landing"])
    return make_record(**changes)


def _victim(pod: Pod) -> Victim:
    return Victim(candidate=make_candidate(pod), destination="n3")


def _before(seconds: float | None) -> float | None:
    return None if seconds is None else NOW - seconds


def _snake(data: Mapping[str, Any]) -> dict[str, Any]:
    return {re.sub(r"([A-Z])", lambda found: f"_{found[1].lower()}", key): value for key, value in data.items()}


def _tuples(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}


def names(examples: Iterable[Example]) -> list[str]:
    """Return what to call the examples in a test report."""
    return [str(example) for example in examples]
