"""Bayplan's pair on a scene of its own, watched from outside: what tests of placement plans start, make and look at.

It knows how things are started and what objects look like, and nothing of what is decided. When a test is over, the
witness judges: budgets and limits kept, nobody evicted twice, every workload back to its replicas.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from controlplane import objects
from controlplane.judging import Rules
from controlplane.objects import NodeShape, Object, PodShape
from controlplane.observing import Observer
from controlplane.waiting import wait_until
from controlplane.witnessing import Witness
from launching.paths import OWN, PLANS
from launching.services import Service
from tests.e2e.interrupted import INTERRUPTED
from tests.e2e.placing import SCHEDULER, Placing, granted, shipped_configuration
from tests.e2e.plan_sights import PlanSights, app_of
from tests.e2e.scenes import is_ready
from tests.e2e.services import Extender

_USERS = frozenset(
    {f"system:serviceaccount:{OWN}:bayplan-descheduler", f"system:serviceaccount:{OWN}:bayplan-extender"}
)


@dataclass(frozen=True, kw_only=True)
class Lot:
    """A workload with one replica of a size on each of some nodes; `spec` are fields of its pods' spec."""

    name: str
    cpu: str
    nodes: Sequence[str]
    kind: str = "Deployment"
    spec: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Planning(PlanSights):
    """One scene with the pair, and the outsiders that watch pods, budgets and plans from its beginning."""

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
        extender = self.launch_extender(policy)
        self.serve(extender, **entry)
        return extender

    def launch_extender(self, policy: dict[str, Any]) -> Extender:
        """Start an extender that no scheduler asks yet; it may not be ready yet, either."""
        placing = self.placing
        made = placing.services.extender(policy, on=placing.host(), kubeconfig=placing.rights())
        placing.launch(made)
        return made

    def serve(self, extender: Extender, **entry: Any) -> None:  # fields of the scheduler's entry
        """Start a scheduler that asks an extender, and wait until both are ready."""
        self.placing.schedule(shipped_configuration(extender.url, **entry))
        extender.program.wait_ready()

    def plan_for(self, policy: dict[str, Any], *, moment: str = "", launcher: Sequence[str] = ()) -> Service:
        """Start a descheduler under its shipped role; it ends with this scene.

        `moment` says when it stops or dies (see `interrupted`), `launcher` is what is started instead of `bayplan`.
        """
        made = self.launch_descheduler(policy, moment=moment, launcher=launcher)
        made.program.wait_ready()
        return made

    def launch_descheduler(self, policy: dict[str, Any], *, moment: str = "", launcher: Sequence[str] = ()) -> Service:
        """Start the same; it may not be ready yet."""
        started = (*INTERRUPTED, moment) if moment else launcher
        services = self.placing.services
        made = services.descheduler(policy, interval="1s", kubeconfig=self.rights(), launcher=started)
        self._stack.push(made)
        # The orderly end takes a moment, which other tests are about.
        self._stack.callback(made.program.kill)
        made.program.start()
        return made

    def rights(self) -> Path:
        """Return a kubeconfig of the descheduler's shipped ServiceAccount, with its shipped roles."""
        return granted(self.scene.plane, "descheduler")

    # ------------------------------------------------------------------ pods

    def shape(self, cpu: str, **spec: Any) -> PodShape:  # fields of the pod's spec
        """Return the shape of a pod of this scene that our scheduler places."""
        return self.scene.here(self.placing.shape(cpu, **spec))

    def workload(self, name: str, replicas: int, cpu: str, *, kind: str = "Deployment", **spec: Any) -> None:
        """Create a workload whose pods our scheduler places; nobody waits for them."""
        make = {"Deployment": objects.deployment, "StatefulSet": objects.stateful_set}[kind]
        self.scene.create(make(name, replicas, self.shape(cpu, **spec)))

    def settle(self, name: str, cpu: str, *nodes: str, kind: str = "Deployment", **spec: Any) -> None:
        """Create a workload with one replica on each of these nodes, and wait until they are Ready."""
        self.lay_out(Lot(name=name, cpu=cpu, nodes=nodes, kind=kind, spec=spec))

    def lay_out(self, *lots: "Lot") -> None:
        """Create workloads with their replicas where they belong, and wait until all are Ready.

        The test binds them itself, before any scheduler of ours runs, so nothing in them says where they belong.
        """
        assert SCHEDULER not in self.scene.plane.programs, "pods are laid out before our scheduler starts"
        for lot in lots:
            self.workload(lot.name, len(lot.nodes), lot.cpu, kind=lot.kind, **lot.spec)
        free = {lot.name: list(lot.nodes) for lot in lots}
        count, names = sum(map(len, free.values())), ", ".join(free)
        wait_until(lambda: len(self._of(free)) == count, f"{count} pods of {names}", timeout=60)
        for pod in self._of(free):
            self.bind(pod["metadata"]["name"], free[app_of(pod)].pop())
        wait_until(lambda: all(map(is_ready, self._of(free))), f"{count} Ready pods of {names}", timeout=60)

    def _of(self, apps: Container[str]) -> list[Object]:
        return [pod for pod in self.scene.pods() if app_of(pod) in apps]

    def veto(self, app: str) -> None:
        """Forbid us to evict the pods of an app as it stands."""
        for pod in self.scene.pods(app):
            notes = {"metadata": {"annotations": {"bayplan.dev/no-evict": "true"}}}
            self.api.patch(self.pod_path(pod["metadata"]["name"]), notes)

    def guard(self, app: str) -> None:
        """Let a budget forbid to evict any pod of an app."""
        self.keep(app, healthy=len(self.scene.pods(app)))

    def keep(self, *apps: str, healthy: int) -> None:
        """Let budgets keep so many pods of each app healthy, and wait until the API server enforces them."""
        for app in apps:
            self.scene.create(objects.pdb(app, app=app, minAvailable=healthy))
        for app in apps:
            count = len(self.scene.pods(app))
            wait_until(lambda: self._healthy(app) == count, f"the budget {app}")  # noqa: B023  # asked within this turn

    def budget_path(self, app: str) -> str:
        """Return the path of an app's budget."""
        return f"/apis/policy/v1/namespaces/{self.scene.namespace}/poddisruptionbudgets/{app}"

    def _healthy(self, app: str) -> object:
        return (self.api.get(self.budget_path(app)).get("status") or {}).get("currentHealthy")

    def bind(self, pod: str, node: str) -> None:
        """Bind a pod past every scheduler."""
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": target}
        self.api.create(self.pod_path(pod) + "/binding", body)

    def pod(self, name: str, cpu: str, **spec: Any) -> None:  # fields of the pod's spec
        """Create a bare pod that our scheduler places."""
        self.placing.pod(name, cpu, **spec)

    def end_terminating(self) -> None:
        """End the pods that are on their way out, whose grace periods nobody needs to wait for any more."""
        for pod in self.scene.pods():
            if "deletionTimestamp" in pod["metadata"]:
                self.api.delete(self.pod_path(pod["metadata"]["name"]), gracePeriodSeconds="0")

    def scale(self, name: str, replicas: int, *, kind: str = "Deployment") -> None:
        """Let a workload have so many replicas."""
        self.api.patch(self.workload_path(name, kind), {"spec": {"replicas": replicas}})

    def workload_path(self, name: str, kind: str = "Deployment") -> str:
        """Return the path of a workload."""
        return f"/apis/apps/v1/namespaces/{self.scene.namespace}/{kind.lower()}s/{name}"

    def pod_path(self, name: str = "") -> str:
        """Return the path of a pod of the scene, or of all."""
        return f"/api/v1/namespaces/{self.scene.namespace}/pods" + (f"/{name}" if name else "")

    def cordon(self, node: str, *, on: bool = True) -> None:
        """Take a node out of use for new pods, or bring it back."""
        self.api.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": on}})

    def floor(self, replicas: int) -> Rules:
        """Return the witness' rules with another floor of Ready replicas."""
        return replace(self.rules, floor=replicas)

    def waiting(self, *workloads: str) -> Rules:
        """Return the witness' rules for workloads whose pods may find no place."""
        return replace(self.rules, pending=frozenset(workloads))

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


def small(cpu: str = "1") -> NodeShape:
    """Return a node with so much CPU and nothing else that could run out."""
    return NodeShape(cpu=cpu)
