"""A replica's plans over two nodes, fed as the watches feed them: what the tests of plans share."""

import threading
from dataclasses import dataclass, field, replace

from extender.census import Census
from extender.plans import Plans
from policies.placement.filtering import FilterDecision, decide_filter
from policies.values.plans import Plan, PlanSlot
from policies.values.pods import Pod
from tests.builders import NOW, make_node, make_resources
from tests.policies.placement.cases import make_view
from tests.policies.plans.making import make_plan, make_quota, pending

SLOT = PlanSlot(plan="p", plan_uid="u", revision=1, holder="a", renewal=1)
NAMES = ["n1", "n2"]
BIG = make_resources(cpu=3800, pods=1)


@dataclass
class Scene:
    """A replica's plans with the census they rest on, fed as the watches do."""

    census: Census = field(default_factory=Census)
    nudged: threading.Event = field(default_factory=threading.Event)
    pods: dict[str, Pod] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.plans = Plans(self.census, nudged=self.nudged)
        for name in NAMES:
            self.census.nodes[name] = make_node(name)

    def begin(self, plan: Plan | None = None, *, now: float = 0.0) -> None:
        """Put a plan in force."""
        taken = plan or make_plan(make_quota())
        self.plans.plan(None, taken, now=now)
        self.plans.slot(replace(SLOT, plan_uid=taken.uid, revision=taken.revision), now=now)
        self.nudged.clear()

    def put(self, pod: Pod) -> None:
        """Let a pod be as it is now."""
        before, self.pods[pod.uid] = self.pods.get(pod.uid), pod
        self.census.put(pod, now=NOW)
        self.plans.pod(before, pod)

    def delete(self, pod: Pod) -> None:
        """Let a pod be gone."""
        self.census.remove(pod.uid, now=NOW)
        self.plans.pod(self.pods.pop(pod.uid), None)

    def ask(self, pod: Pod, *, now: float = 0.0, most_held: int = 50) -> FilterDecision:
        """Ask the filter about both nodes."""
        self.put(pod)
        with self.plans.turn:
            sight = self.plans.sight(pod, most_held=most_held, now=now)
            decision = decide_filter(pod, NAMES, make_view(plan=sight))
            self.plans.answered(sight, pod, decision, now=now)
        return decision

    def was_nudged(self) -> bool:
        """Tell whether sleeping pods are to be woken, and forget it."""
        found = self.nudged.is_set()
        self.nudged.clear()
        return found


def full(scene: Scene) -> FilterDecision:
    """Let one pod claim all that a promise leaves, and another be refused for it; only one node is offered."""
    scene.census.nodes["n2"] = make_node("n2", cpu=0)
    scene.begin(make_plan(make_quota(requests=BIG), make_quota(node="n2", requests=BIG)))
    assert scene.ask(pending("a", "api", cpu=200)).passed == ["n1"]
    refused = scene.ask(pending("b", "api", cpu=200))
    assert refused.kept_waiting
    return refused
