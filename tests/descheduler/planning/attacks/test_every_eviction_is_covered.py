"""At the moment of every eviction for a plan: who asks may ask, and every replica that could be asked obeys the plan.

Whatever people, faults and the extender's replicas do meanwhile, in whatever order. What happens within the two seconds
between the guard's look and the call itself nobody can know, so meddling with the objects is forgiven for as long. Nor
can anybody know for 6 s of a replica that was killed: it answers nobody, so nobody is placed by it.
"""

import contextlib
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from policies.values.plans import Plan
from simulator.failures import Failure
from simulator.faults import Delayed, Fail, Fault, LostAnswer, LostRequest, Unconnected
from sources.kube.api import Answer, KubeApi
from tests.descheduler.planning.replica import FakeReplica
from tests.descheduler.planning.site import OWN, Process, Site, plan_policy
from tests.descheduler.planning.under_way import MERGE, PATH, abort

UNSEEN: Final = 4.0
_FLAGS: Final = {"kill replica": "dead", "cut replica": "cut", "deafen replica": "deaf"}
FAULTS: Final[dict[str, Fault]] = {
    "request lost": LostRequest(),
    "answer lost": LostAnswer(),
    "slow": Delayed(1.5),
    "very slow": Delayed(4.0),
    "not connected": Unconnected(),
    "403": Fail(Failure(403, "Forbidden", "no")),
    "500": Fail(Failure(500, "InternalError", "no")),
    "504": Fail(Failure(504, "Timeout", "no")),
}
PATHS: Final = ("*", "*/leases*", "*/placementplans*", "*/planslots*", "*/evictionrecords*", "*/pods", "*/pods/*-0")
MOMENTS: Final = st.sampled_from((0.0, 0.3, 1.0, 1.3, 2.0, 3.5, 6.0))
EVENTS: Final = st.one_of(
    st.tuples(st.just("fault"), st.tuples(st.sampled_from(sorted(FAULTS)), st.sampled_from(PATHS))),
    st.tuples(st.just("freeze"), st.sampled_from((3.0, 8.0, 12.0, 16.0, 40.0))),
    st.tuples(st.just("kill replica"), st.sampled_from((0, 1))),
    st.tuples(st.just("cut replica"), st.sampled_from((0, 1))),
    st.tuples(st.just("deafen replica"), st.sampled_from((0, 1))),
    st.tuples(st.just("start replica"), st.booleans()),
    st.tuples(st.just("delete replica's lease"), st.sampled_from((0, 1))),
    st.tuples(st.just("delete slot"), st.none()),
    st.tuples(st.just("delete plan"), st.none()),
    st.tuples(st.just("close plan"), st.none()),
    st.tuples(st.just("abort"), st.none()),
    st.tuples(st.just("policy"), st.sampled_from(("off", "observe", "blocking"))),
    st.tuples(st.just("stop"), st.none()),
)


@dataclass
class Covered:
    """The API of a process, which looks around at each eviction that is asked for."""

    api: KubeApi
    scene: "Scene"
    process: Process

    def request(self, method: str, path: str, **how: Any) -> Answer:
        """Make the call."""
        if path.endswith("/eviction"):
            self.scene.look(self.process)
        return self.api.request(method, path, **how)

    def stream(self, path: str, **how: Any) -> Any:
        """Watch; plans do not."""
        raise NotImplementedError


@dataclass
class Scene:
    """A cluster in which two pods leave a node one after the other, under a leader and a standby."""

    blocking: bool = False
    faults: list[str] = field(default_factory=list)
    evictions: int = 0

    def __post_init__(self) -> None:
        self.site = site = Site(policy=policy(blocking=self.blocking), replicas=("r0", "r1"))
        site.node("n1", cpu=850)
        site.node("n2")
        for name in ("one", "two"):
            site.workload(name, "n2", cpu=400, grace_seconds=2)
        site.workload("big", None, cpu=900, grace_seconds=2)
        site.solver.goes = {"one-0": "n1", "two-0": "n1", "big-0": "n2"}
        self.meddled_at = -UNSEEN
        self.aborted_at = float("inf")
        self.leader, self.standby = site.process("a"), site.process("b")
        for process in (self.leader, self.standby):
            process.tools = replace(process.tools, api=Covered(process.api, self, process))
            process.planner.tools = process.tools
        site.wait(7)

    def look(self, process: Process) -> None:
        """Note what is wrong with an eviction now."""
        site, now = self.site, self.site.clock.monotonic()
        self.evictions += 1
        plan = process.planner.current
        assert plan is not None
        if not process.elector.leads() or (process is self.leader and self.standby.elector.leads()):
            self.faults.append("it does not lead")
        if process.frozen or process.stop.is_set():
            self.faults.append("it is not to run")
        if site.loaded.hash != plan.policy_hash:
            self.faults.append("another policy is in force")
        if now - self.aborted_at > UNSEEN:
            self.faults.append("a person has stopped the plan")
        if now - self.meddled_at > UNSEEN:
            self.faults += [f"{name} does not obey" for name, one in site.extenders.items() if not obeys(one, plan)]

    def happen(self, event: tuple[str, Any]) -> None:
        """Let something happen."""
        kind, detail = event
        if kind in {"kill replica", "cut replica", "deafen replica"}:
            setattr(self.site.extenders[f"r{detail}"], _FLAGS[kind], True)
        elif kind in {"delete plan", "close plan", "abort"}:
            if self.site.plans():
                self.person(kind)
        else:
            self.others(kind, detail)

    def person(self, kind: str) -> None:
        """Let somebody meddle with the plan."""
        site, now = self.site, self.site.clock.monotonic()
        if kind == "abort":
            self.aborted_at = now
            abort(site)
        elif kind == "delete plan":
            self.remove("placementplans", site.plan().name)
        else:
            self.meddled_at = now
            path, body = f"{PATH}/{site.plan().name}", {"status": {"phase": "Aborted"}}
            site.server.request("PATCH", path, body=body, content_type=MERGE)

    def others(self, kind: str, detail: Any) -> None:
        """Let something happen to the process, the policy, or around the replicas."""
        site = self.site
        match kind:
            case "fault":
                site.server.faults.add(FAULTS[detail[0]], path=detail[1], user="a")
            case "freeze":
                self.freeze(detail)
            case "start replica":
                self.meddled_at = site.clock.monotonic()
                name = f"r{len(site.extenders)}"
                site.extenders[name] = FakeReplica(site.server, name, deaf=detail)
            case "delete replica's lease":
                self.remove("leases", f"bayplan-extender-r{detail}")
            case "delete slot":
                self.remove("planslots", "active")
            case "policy":
                changes: dict[str, Any] = {"off": {"trigger": "off"}, "observe": {"mode": "observe"}}
                site.policy = policy(**changes.get(detail, {"blocking": True}))
                site.policy_hash = detail
            case _:
                self.leader.stop.set()

    def remove(self, plural: str, name: str) -> None:
        """Delete one of our own objects, as a person does."""
        if self.site.server.find(plural, name, OWN) is not None:
            self.meddled_at = self.site.clock.monotonic()
            self.site.server.remove(plural, name, OWN)

    def freeze(self, seconds: float) -> None:
        """Stop the leader's process in whatever it does; it goes on as if nothing had happened."""
        if not self.leader.frozen:
            self.leader.frozen = True
            self.site.wait(seconds)
            self.standby.planner.ready()  # it closes what is open, if it leads by now
            self.leader.frozen = False


def policy(**changes: Any) -> Any:
    return plan_policy(realiseWithin="5s", **changes)


def obeys(replica: FakeReplica, plan: Plan) -> bool:
    """Tell whether a replica that may be asked obeys the plan; one that was cut off before is none to anybody."""
    if replica.dead or (replica.cut and plan.version not in {version for _, version in replica.history}):
        return True
    return replica.plan is not None and replica.plan.version == plan.version


@settings(max_examples=60, deadline=None)
@given(blocking=st.booleans(), events=st.lists(st.tuples(MOMENTS, EVENTS), min_size=1, max_size=4))
def test_no_eviction_happens_uncovered(*, blocking: bool, events: list[tuple[float, tuple[str, Any]]]) -> None:
    scene = Scene(blocking=blocking)
    for after, event in events:
        scene.site.clock.call_after(after, partial(scene.happen, event))

    with contextlib.suppress(Exception):  # the boundary of the plans' task
        scene.leader.attempt()

    assert scene.faults == []
    assert scene.evictions <= 2


def test_undisturbed_both_evictions_are_covered() -> None:
    scene = Scene()

    assert scene.leader.attempt().outcome == "Completed"

    assert (scene.evictions, scene.faults) == (2, [])
