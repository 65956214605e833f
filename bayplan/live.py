"""The cluster that a kubeconfig leads to, and a snapshot of it, for the commands that look at one; decides nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from bayplan.exits import Unreachable, policy_that_must_be_valid
from descheduler.taking import take
from policies.model.dumping import content_hash
from policies.model.loading import Loaded
from policies.model.policy import Policy
from sources.clocks import SystemClock
from sources.kube.api import KubeApi
from sources.kube.client import connect
from sources.kube.decoding.tolerant import MalformedObject
from sources.kube.errors import ApiError, NotFound, StatusError
from sources.policy_file import read_policy
from sources.signals.opening import open_signals
from sources.signals.reader import Inventories, OpenReader
from sources.snapshots.snapshot import Snapshot

NEEDED: Final = ("nodes", "pods")  # without these there is no snapshot; without anything else rails refuse


@dataclass(frozen=True, slots=True, kw_only=True)
class Whence:
    """How to reach the cluster, None: as the pod's ServiceAccount; and where Bayplan's objects live."""

    kubeconfig: Path | None
    namespace: str


def policy_of(path: Path | None) -> Loaded:
    """Return the policy in a file, the default values where none is given."""
    if path is None:
        policy = Policy(api_version="bayplan.dev/v1alpha1", kind="Policy")
        return Loaded(policy=policy, hash=content_hash(policy))
    with policy_that_must_be_valid():
        return read_policy(path)


@contextmanager
def cluster(kubeconfig: Path | None) -> Iterator[KubeApi]:
    """Connect to the cluster; end the command where it cannot be reached, refuses us or answers what makes no sense."""
    try:
        api = connect(kubeconfig)
        try:
            yield api
        finally:
            api.close()
    except NotFound as problem:
        # An object that is not there has been told of before: here it is the kind.
        text = f"{_place(kubeconfig)}: the cluster has no such kind, is Bayplan installed there? {problem}"
        raise Unreachable(text) from problem
    except StatusError as problem:
        raise Unreachable(f"{_place(kubeconfig)}: {problem}") from problem
    except (ApiError, MalformedObject) as problem:
        raise Unreachable(str(problem)) from problem


def _place(kubeconfig: Path | None) -> str:
    return "the pod's ServiceAccount" if kubeconfig is None else f"kubeconfig {kubeconfig}"


def live_snapshot(whence: Whence, policy: Policy) -> Snapshot:
    """Read the cluster; what is not known of it is said on standard error."""
    with cluster(whence.kubeconfig) as api:

        def open_reader(opened: Policy, inventory: Inventories) -> OpenReader:
            return open_signals(opened, inventory, api=api)

        snapshot, troubles = take(
            api, policy, namespace=whence.namespace, open_signals=open_reader, clock=SystemClock()
        )
    for kind in NEEDED:
        if kind in snapshot.cluster.unreadable:
            raise Unreachable(f"the {kind} cannot be listed: {snapshot.cluster.unreadable[kind]}")
    for step, text in troubles.items():
        click.echo(f"not known ({step}): {text}", err=True)
    return snapshot
