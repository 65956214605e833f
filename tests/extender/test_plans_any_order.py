"""Whatever kube-scheduler does in whatever order, nobody who passes the filter takes what a plan has promised."""

from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from policies.placement.filtering import decide_filter
from policies.plans.quotas import kind_of
from policies.values.pods import Pod
from policies.values.resources import Resources, total
from tests.builders import make_node, make_pod, make_resources
from tests.extender.planned import SLOT, Scene
from tests.policies.placement.cases import make_view
from tests.policies.plans.making import make_entry, make_plan, make_quota, pending

NODES = {name: make_node(name, cpu=1000) for name in ("n1", "n2")}
PLANNED = make_resources(cpu=300, memory=64 * 2**20, pods=1)
VICTIM = make_pod("victim", workload="db", cpu=500)
WANTED = {"n1": 2, "n2": 1}
PLAN = make_plan(
    *(make_quota(node=node, wanted=count, requests=PLANNED) for node, count in WANTED.items()),
    entries=[make_entry(VICTIM, None)],
)
# As many planned pods as there are places: one more would be like any other wherever all places are filled.
PODS = [pending(f"w{number}", cpu=300) for number in range(3)] + [
    pending(f"o{number}", "api", cpu=cpu) for number, cpu in enumerate((100, 200, 300, 400, 600))
]


@dataclass
class Cluster:
    """kube-scheduler over two nodes: it counts whoever stands or was bound by it, and knows of no promise."""

    scene: Scene = field(default_factory=Scene)
    pods: dict[str, Pod] = field(default_factory=lambda: {pod.uid: pod for pod in (*PODS, VICTIM)})
    assumed: dict[str, str] = field(default_factory=dict)
    now: float = 0.0
    attempts: int = 0

    def __post_init__(self) -> None:
        self.scene.census.nodes.update(NODES)
        for pod in self.pods.values():
            self.scene.put(pod)
        self.scene.begin(PLAN)

    def ask(self, uid: str, names: list[str]) -> None:
        """Try to place a pod on some nodes."""
        pod = self.pods[uid]
        feasible = [name for name in names if not pod.requests.lacking(self._free(name))]
        if pod.node is not None or uid in self.assumed or not feasible:
            return
        plans = self.scene.plans
        with plans.turn:
            sight = plans.sight(pod, most_held=50, now=self.now)
            decision = decide_filter(pod, feasible, make_view(plan=sight))
            plans.answered(sight, pod, decision, now=self.now)
        if decision.passed:
            self.assumed[uid] = decision.passed[-1]

    def bind(self, uid: str) -> None:
        """Let a pod be seen where it was put."""
        if uid in self.assumed:
            self._tell(uid, node=self.assumed.pop(uid), nominated_node=None)

    def fail(self, uid: str) -> None:
        """Give an attempt up, with a text that nobody has seen yet."""
        if self.assumed.pop(uid, None) is not None:
            self.attempts += 1
            self._tell(uid, unscheduled=f"attempt {self.attempts}", nominated_node=None)

    def nominate(self, uid: str) -> None:
        """Say that a bind will take time."""
        if uid in self.assumed:
            self._tell(uid, nominated_node=self.assumed[uid])

    def delete(self, uid: str) -> None:
        """Take a pod away; another one of its kind comes in its stead."""
        self.assumed.pop(uid, None)
        pod = self.pods[uid]
        self.scene.delete(pod)
        if uid == VICTIM.uid:
            del self.pods[uid]
        else:
            self.pods[uid] = replace(pod, node=None, nominated_node=None, unscheduled="")
            self.scene.put(self.pods[uid])

    def wait(self, _uid: str) -> None:
        """Let claims run out once all binds have been seen."""
        for uid in [*self.assumed]:
            self.bind(uid)
        self.now += 6.0
        self.scene.plans.slot(replace(SLOT, renewal=int(self.now)), now=self.now)
        self.scene.plans.step(self.now)

    def check(self) -> None:
        """See that each node can still keep its promise, and that nobody came twice for one place."""
        for name, wanted in WANTED.items():
            here = [pod for pod in self.pods.values() if name in {pod.node, self.assumed.get(pod.uid)}]
            planned = [pod for pod in here if kind_of(pod) == kind_of(PODS[0])]
            others = total(pod.requests for pod in here if pod not in planned and pod.uid != VICTIM.uid)
            assert len(planned) <= wanted
            assert others["cpu"] + wanted * PLANNED["cpu"] <= NODES[name].allocatable["cpu"]

    def _free(self, name: str) -> Resources:
        here = (pod.requests for pod in self.pods.values() if name in {pod.node, self.assumed.get(pod.uid)})
        return NODES[name].allocatable - total(here)

    def _tell(self, uid: str, **changes: Any) -> None:
        self.pods[uid] = replace(self.pods[uid], **changes)
        self.scene.put(self.pods[uid])


UIDS = [pod.uid for pod in PODS]
STEPS = st.one_of(
    st.tuples(st.just("ask"), st.sampled_from(UIDS), st.sampled_from([["n1", "n2"], ["n2", "n1"], ["n1"], ["n2"]])),
    st.tuples(st.sampled_from(["bind", "fail", "nominate", "delete", "wait"]), st.sampled_from([*UIDS, VICTIM.uid])),
)


@given(st.lists(STEPS, max_size=40))
def test_what_is_promised_is_taken_by_nobody_else_in_whatever_order(steps: list[tuple[Any, ...]]) -> None:
    cluster = Cluster()
    for verb, uid, *rest in steps:
        if uid in cluster.pods:
            getattr(cluster, verb)(uid, *rest)
            cluster.check()
