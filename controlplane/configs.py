"""The configuration files of the programs, as text made from values; reads and writes nothing."""

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user of the API server who shows a static token."""

    name: str
    token: str
    groups: tuple[str, ...] = ()


def token_file(users: Iterable[User]) -> str:
    """Return a file for `--token-auth-file`: token, name, uid and groups of each user."""
    return "".join(f'{user.token},{user.name},{user.name},"{",".join(user.groups)}"\n' for user in users)


def kubeconfig(*, server: str, ca_file: str, token: str) -> str:
    """Return a kubeconfig with one cluster, one user and one context."""
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "bayplan", "cluster": {"server": server, "certificate-authority": ca_file}}],
            "users": [{"name": "bayplan", "user": {"token": token}}],
            "contexts": [{"name": "bayplan", "context": {"cluster": "bayplan", "user": "bayplan"}}],
            "current-context": "bayplan",
        },
        sort_keys=False,
    )


def with_extender(
    url: str,
    *,
    weight: int = 4,
    http_timeout: str = "500ms",
    scheduler_names: Sequence[str] = ("bayplan-scheduler",),
    **changes: object,
) -> dict[str, Any]:
    """Return a KubeSchedulerConfiguration whose profiles all ask the extender at this URL (ending in `/v1`).

    `changes` are further or other fields of the extender entry.
    """
    extender = {
        "urlPrefix": url,
        "filterVerb": "filter",
        "prioritizeVerb": "prioritize",
        "preemptVerb": "preempt",
        "weight": weight,
        "httpTimeout": http_timeout,
        "nodeCacheCapable": True,
        "ignorable": True,
    }
    return _scheduler(scheduler_names) | {"extenders": [extender | changes]}


def without_extender(scheduler_names: Sequence[str] = ("default-scheduler",)) -> dict[str, Any]:
    """Return the KubeSchedulerConfiguration of a stock scheduler."""
    return _scheduler(scheduler_names)


def scheduler_configuration(given: Mapping[str, Any], *, kubeconfig_file: str) -> str:
    """Return a configuration as a file for this run: with its kubeconfig, without leader election, with ample QPS."""
    here = copy.deepcopy(dict(given))
    here["clientConnection"] = {"kubeconfig": kubeconfig_file, "qps": 1000, "burst": 2000}
    here["leaderElection"] = {"leaderElect": False}
    return yaml.safe_dump(here, sort_keys=False)


def audit_policy() -> str:
    """Return an audit policy: every eviction, and every write that does not come from the control plane itself.

    Of evictions the request is kept, too: it says which UID was meant, and whether it was only tried.
    """
    evictions = {"level": "Request", "resources": [{"group": "", "resources": ["pods/eviction"]}]}
    own = [{"level": "None", "userGroups": ["system:masters"]}, {"level": "None", "users": ["system:kube-scheduler"]}]
    reads = {"level": "None", "verbs": ["get", "list", "watch"]}
    return yaml.safe_dump(
        {
            "apiVersion": "audit.k8s.io/v1",
            "kind": "Policy",
            "omitStages": ["RequestReceived"],
            "rules": [evictions, *own, reads, {"level": "Metadata"}],
        },
        sort_keys=False,
    )


def _scheduler(names: Sequence[str]) -> dict[str, Any]:
    # With 100 % a small cluster is searched whole, so that a test knows which nodes the extender is asked about.
    preemption = {
        "name": "DefaultPreemption",
        "args": {"minCandidateNodesPercentage": 100, "minCandidateNodesAbsolute": 100},
    }
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "percentageOfNodesToScore": 100,
        "profiles": [{"schedulerName": name, "pluginConfig": [preemption]} for name in names],
    }
