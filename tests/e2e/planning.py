"""Bayplan's pair on a scene of its own, watched from outside: what tests of placement plans start, make and look at.

It knows how things are started and what objects look like, and nothing of what is decided. When a test is over, the
witness judges: budgets and limits kept, nobody evicted twice, every workload back to its replicas.
"""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controlplane import objects
from controlplane.api import Api
from controlplane.judging import Rules
from controlplane.objects import NodeShape, Object, PodShape
from controlplane.observing import Observer
from controlplane.waiting import wait_until
from controlplane.witnessing import Witness
from tests.e2e.placing import SCHEDULER, Placing, shipped_configuration
from tests.e2e.scenes import Scene, node_of, summary
from tests.e2e.services import LEASES, OWN, PLANS, SLOTS, Extender, Service
from tests.manifests import DEPLOY

INTERRUPTED = (sys.executable, "-m", "tests.e2e.interrupted")
ENDS = ("Completed", "TimedOut", "Aborted")
_RIGHTS = DEPLOY / "common/descheduler-rbac.yaml"
_USERS = frozenset(
    {f"system:serviceaccount:{OWN}:bayplan-descheduler", f"system:serviceaccount:{OWN}:bayplan-extender"}
)


@dataclass
class Planning:
    """One scene with the pair, and the outsiders that watch pods, budgets and plans from its beginning."""

    placing: Placing
    witness: Witness
    plans_seen: Observer
    rules: Rules = field(default_factory=lambda: Rules(users=_USERS))
    _stack: ExitStack = field(default_factory=ExitStack)

    # ------------------------------------------------------------------ the pair

    def policy(self, *, eviction: dict[str, Any] | None = None, **plan: Any) -> dict[str, Any]:  # fields of the policy
        """Return a policy that plans for this scene's pods as soon as one is unschedulable; further fields of `plan`.

        `eviction` are fields of `plan.eviction`; pods may be moved whatever their age.
        """
        chosen = {"trigger": "scheduling-failure", "eviction": {"minPodAge": "0s"} | (eviction or {})}
        return {
            "apiVersion": "bayplan.dev/v1alpha1",
            "kind": "Policy",
            "scope": {"namespaces": {"include": [self.scene.namespace]}, "schedulerNames": [SCHEDULER]},
            "eviction": {"mode": "enforce", "minPodAge": "0s"},
            "plan": chosen | plan,
        }

    def extend(self, policy: dict[str, Any], **entry: Any) -> Extender:  # fields of the scheduler's entry
        """Start an extender under its shipped role, and a scheduler that asks it."""
        extender = self.replica(policy)
        self.placing.schedule(shipped_configuration(extender.url, **entry))
        return extender

    def replica(self, policy: dict[str, Any]) -> Extender:
        """Start an extender that no scheduler asks yet."""
        placing = self.placing
        made = placing.services.extender(policy, on=placing.host(), kubeconfig=placing.rights())
        return placing.extend(made)

    def plan_for(self, policy: dict[str, Any], *, moment: str = "", name: str = "") -> Service:
        """Start a descheduler under its shipped role; `moment` says when it stops or dies (see `interrupted`)."""
        made = self.descheduler(policy, moment=moment, name=name)
        self._stack.enter_context(made)
        # The orderly end takes a moment, which other tests are about.
        self._stack.callback(made.program.kill)
        return made

    def descheduler(self, policy: dict[str, Any], *, moment: str = "", name: str = "") -> Service:
        """Return a descheduler, not started yet."""
        launcher = {"launcher": (*INTERRUPTED, moment)} if moment else {}
        return self.placing.services.descheduler(policy, name=name, interval="1s", kubeconfig=self.rights(), **launcher)

    def rights(self) -> Path:
        """Return a kubeconfig of the descheduler's shipped ServiceAccount, with its shipped roles."""
        plane = self.scene.plane
        plane.kubectl("apply", "-f", str(_RIGHTS))
        return plane.kubeconfig("bayplan-descheduler", plane.service_account_token(OWN, "bayplan-descheduler"))

    # ------------------------------------------------------------------ pods

    @property
    def scene(self) -> Scene:
        """The scene."""
        return self.placing.scene

    @property
    def api(self) -> Api:
        """The administrator's connection."""
        return self.scene.api

    def shape(self, cpu: str, **spec: Any) -> PodShape:  # fields of the pod's spec
        """Return the shape of a pod of this scene that our scheduler places."""
        return self.scene.here(self.placing.shape(cpu, **spec))

    def workload(self, name: str, replicas: int, cpu: str, *, kind: str = "Deployment", **spec: Any) -> None:
        """Create a workload whose pods our scheduler places; nobody waits for them."""
        make = {"Deployment": objects.deployment, "StatefulSet": objects.stateful_set}[kind]
        self.scene.create(make(name, replicas, self.shape(cpu, **spec)))

    def settle(self, name: str, cpu: str, *nodes: str, kind: str = "Deployment", **spec: Any) -> None:
        """Create a workload with one replica on each of these nodes, and wait until they are Ready.

        Nothing in it says so afterwards: the other nodes are cordoned for as long as it takes.
        """
        self.workload(name, 0, cpu, kind=kind, **spec)
        for count, node in enumerate(nodes, start=1):
            with self.only(node):
                self.scale(name, count, kind=kind)
                self.scene.wait_ready(name, count)

    def pod(self, name: str, cpu: str, **spec: Any) -> None:  # fields of the pod's spec
        """Create a bare pod that our scheduler places."""
        self.placing.pod(name, cpu, **spec)

    def scale(self, name: str, replicas: int, *, kind: str = "Deployment") -> None:
        """Let a workload have so many replicas."""
        self.api.patch(self.workload_path(name, kind), {"spec": {"replicas": replicas}})

    def workload_path(self, name: str, kind: str = "Deployment") -> str:
        """Return the path of a workload."""
        return f"/apis/apps/v1/namespaces/{self.scene.namespace}/{kind.lower()}s/{name}"

    def pod_path(self, name: str = "") -> str:
        """Return the path of a pod of the scene, or of all."""
        return f"/api/v1/namespaces/{self.scene.namespace}/pods" + (f"/{name}" if name else "")

    @contextmanager
    def only(self, *nodes: str) -> Iterator[None]:
        """Let new pods of the scene go to these nodes only."""
        others = [name for name in self.scene.node_names if name not in nodes]
        for name in others:
            self.cordon(name)
        yield
        for name in others:
            self.cordon(name, on=False)

    def cordon(self, node: str, *, on: bool = True) -> None:
        """Take a node out of use for new pods, or bring it back."""
        self.api.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": on}})

    def nodes_of(self, app: str) -> list[str]:
        """Return where the bound pods of an app run, those on their way out left out."""
        pods = [pod for pod in self.scene.pods(app) if "deletionTimestamp" not in pod["metadata"]]
        return sorted(node_of(pod) for pod in pods if node_of(pod))

    def wait_on(self, app: str, *nodes: str, timeout: float = 40.0) -> None:
        """Wait until the pods of an app are exactly on these nodes and Ready."""
        wait_until(
            lambda: self.nodes_of(app) == sorted(nodes),
            f"{app} on {', '.join(nodes)}",
            timeout=timeout,
            seen=lambda: ([summary(pod) for pod in self.scene.pods()], self.told()),
        )
        self.scene.wait_ready(app, len(nodes))

    def unschedulable(self, app: str) -> bool:
        """Return whether kube-scheduler has said of a pod of an app that it fits nowhere."""
        return any(_is_unschedulable(pod) for pod in self.scene.pods(app))

    # ------------------------------------------------------------------ plans

    def plans(self) -> list[Object]:
        """Return the plans, oldest first."""
        return sorted(self.api.items(PLANS), key=lambda raw: int(raw["metadata"]["resourceVersion"]))

    def phases(self) -> list[str]:
        """Return the phases of all plans."""
        return [phase_of(raw) for raw in self.plans()]

    def wait_phase(self, *phases: str, timeout: float = 40.0) -> Object:
        """Wait until a plan was seen in one of these phases, which may be over by now; return it as it was then."""
        found = wait_until(
            lambda: [one.body for one in self.plans_seen.changes if phase_of(one.body) in phases],
            f"a plan in {' or '.join(phases)}",
            timeout=timeout,
            seen=lambda: (self.told(), [summary(pod) for pod in self.scene.pods()]),
        )
        return found[0]

    def wait_end(self, *, timeout: float = 60.0) -> Object:
        """Wait until a plan has ended; return it."""
        return self.wait_phase(*ENDS, timeout=timeout)

    def told(self) -> list[str]:
        """Return each plan in one line, as a person would ask for it."""
        return [plan_text(raw) for raw in self.plans()]

    def told_of(self, plan: Object) -> tuple[str, dict[str, list[str]]]:
        """Return a plan's phase, and the nodes that its steps lead to (or, of evictions, come from) by action."""
        nodes: dict[str, list[str]] = {}
        for entry in entries_of(plan):
            nodes.setdefault(entry["action"], []).append(entry.get("target") or entry["source"])
        return phase_of(plan), {action: sorted(found) for action, found in nodes.items()}

    def first_seen(self, phase: str) -> float:
        """Return when a plan was first seen in a phase (Unix seconds)."""
        return next(one.at for one in self.plans_seen.changes if phase_of(one.body) == phase)

    def slot(self) -> Object:
        """Return the slot's specification; empty while there is none."""
        found = self.api.find(f"{SLOTS}/active")
        return {} if found is None else found["spec"]

    def shown(self) -> dict[str, str]:
        """Return the plan that each replica of the extender says it obeys, by its Lease."""
        leases = [raw for raw in self.api.items(LEASES) if raw["metadata"]["name"].startswith("bayplan-extender-")]
        return {
            raw["metadata"]["name"]: (raw["metadata"].get("annotations") or {}).get("bayplan.dev/plan", "")
            for raw in leases
        }

    def wait_released(self, *, timeout: float = 20.0) -> None:
        """Wait until the slot is free and no replica obeys a plan."""
        wait_until(
            lambda: not self.slot().get("plan") and not any(self.shown().values()),
            "the plan to be let go of",
            timeout=timeout,
            seen=lambda: (self.slot(), self.shown()),
        )

    # ------------------------------------------------------------------ what outsiders saw

    def evicted(self) -> list[str]:
        """Return the pods whose eviction the API server granted, in order, from its audit log."""
        return [call.name for call in self.scene.evictions() if call.granted]

    def gone_at(self, name: str) -> float:
        """Return when a pod was seen to be gone."""
        return next(one.at for one in self.witness.pods.changes if _names(one.body, name) and one.kind == "DELETED")

    def bound_at(self, app: str, *, after: float = 0.0) -> list[float]:
        """Return when pods of an app were first seen bound, later than a time."""
        apps = {one.body["metadata"]["name"]: app_of(one.body) for one in self.witness.pods.changes}
        found = [at for name, (_, at) in self.witness.pods.bound().items() if apps[name] == app]
        return sorted(at for at in found if at > after)

    def refused_at(self, app: str) -> float:
        """Return when kube-scheduler was first seen to say of a pod of an app that it fits nowhere."""
        seen = (one for one in self.witness.pods.changes if app_of(one.body) == app)
        return next(one.at for one in seen if _is_unschedulable(one.body))

    def judge(self) -> None:
        """Fail if the witness finds fault; workloads get a while to come back."""
        judgement = self.witness.settle(self.rules)
        assert judgement.findings == (), "\n".join([*judgement.findings, *self.told()])

    def close(self) -> None:
        """Judge while everything still runs, then end what was started."""
        with self._stack:
            self.judge()


@contextmanager
def planning(placing: Placing) -> Iterator[Planning]:
    """Watch a scene from its beginning to its end."""
    plane = placing.scene.plane
    with Witness(plane, placing.scene.namespace) as witness, Observer(plane.admin, PLANS) as plans:
        made = Planning(placing, witness, plans)
        yield made
        made.close()


def phase_of(plan: Object) -> str:
    """Return how far a plan got."""
    return str((plan.get("status") or {}).get("phase", ""))


def reason_of(plan: Object) -> str:
    """Return why it ended, or what it waits for."""
    return str((plan.get("status") or {}).get("reason", ""))


def entry_text(entry: Object) -> str:
    """Return what a plan does with one pod, in one line."""
    return f"{entry['action']} {entry['pod']} {entry.get('source', '')}->{entry.get('target', '')}"


def targets(plan: Object) -> dict[str, str]:
    """Return where a plan wants pods, by the name they had when it was made."""
    return {entry["pod"]: entry["target"] for entry in entries_of(plan) if "target" in entry}


def entries_of(plan: Object) -> list[Object]:
    """Return what a plan does with each pod."""
    found: list[Object] = plan["spec"].get("entries") or []
    return found


def plan_text(plan: Object) -> str:
    """Return a plan in one line."""
    return f"{plan['metadata']['name']} {plan.get('status')} {[entry_text(one) for one in entries_of(plan)]}"


def small(cpu: str = "1") -> NodeShape:
    """Return a node with so much CPU and nothing else that could run out."""
    return NodeShape(cpu=cpu)


def app_of(pod: Object) -> str:
    """Return the app that a pod is labelled with."""
    return str((pod["metadata"].get("labels") or {}).get("app", ""))


def _is_unschedulable(pod: Object) -> bool:
    conditions = pod["status"].get("conditions", ())
    return any(one["type"] == "PodScheduled" and one.get("reason") == "Unschedulable" for one in conditions)


def _names(body: Object, name: str) -> bool:
    return bool(body["metadata"]["name"] == name)
