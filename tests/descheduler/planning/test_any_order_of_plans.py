"""Whatever happens to two processes, two replicas and the cluster in whatever order: plans break nothing.

Nobody is evicted twice or without a record, limits and budgets hold, and when it is quiet again nothing is reserved.
"""

import contextlib
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.failures import Failure
from simulator.faults import Before, Delayed, Fail, Fault, LostAnswer, LostRequest, Unconnected
from tests.descheduler.cycles import most_within
from tests.descheduler.planning.site import Site, plan_policy
from tests.descheduler.test_every_call import Killed, asked_twice, uid_of
from tests.raw import raw_node, raw_pdb, raw_pod

WINDOW: Final = 600.0
PATHS: Final = (
    "*",
    "*/leases*",
    "*/placementplans*",
    "*/planslots*",
    "*/evictionrecords*",
    "*/pods/*",
    "*/eviction",
)
FAULTS: Final[dict[str, Fault]] = {
    "request lost": LostRequest(),
    "answer lost": LostAnswer(),
    "late": Delayed(15.0),
    "slow": Delayed(1.5),
    "not connected": Unconnected(),
    "500": Fail(Failure(500, "InternalError", "no")),
    "409": Fail(Failure(409, "Conflict", "no")),
    "429": Fail(Failure(429, "TooManyRequests", "busy", retry_after=1)),
}
NAMES: Final = st.sampled_from("ab")
REPLICAS: Final = st.sampled_from(("one", "two"))
ACTIONS: Final = st.one_of(
    st.tuples(st.just("attempt"), NAMES, st.sampled_from(("periodic", "relief"))),
    st.tuples(st.just("attempt"), NAMES, st.sampled_from(("periodic", "relief"))),
    st.tuples(st.just("attempt"), NAMES, st.sampled_from(("periodic", "relief"))),
    st.tuples(st.just("wait"), NAMES, st.sampled_from((0.5, 3.0, 20.0))),
    st.tuples(st.just("fault"), NAMES, st.tuples(st.sampled_from(sorted(FAULTS)), st.sampled_from(PATHS))),
    st.tuples(st.just("kill at"), NAMES, st.integers(0, 60)),
    st.tuples(st.just("pause at"), NAMES, st.tuples(st.integers(0, 60), st.sampled_from((3.0, 12.0, 40.0)))),
    st.tuples(st.just("restart"), NAMES, st.none()),
    st.tuples(st.just("deaf"), REPLICAS, st.booleans()),
    st.tuples(st.just("intruder"), NAMES, st.sampled_from(("n1", "n2"))),
    st.tuples(st.just("resize"), NAMES, st.sampled_from((900, 1200))),
    st.tuples(st.just("blocking"), NAMES, st.booleans()),
)


class Pair:
    """Two processes and two replicas on one cluster, and everything that may happen to them."""

    def __init__(self) -> None:
        self.site = Site(policy=_policy(blocking=False), replicas=("one", "two"))
        site = self.site
        site.node("n1", cpu=1200)
        site.node("n2", "n3")
        for name, node, cpu in (("web", "n1", 300), ("one", "n2", 400), ("two", "n2", 300)):
            site.workload(name, node, cpu=cpu, grace_seconds=2)
        site.workload("api", "n3", "n3", cpu=100, grace_seconds=2)
        site.workload("big", None, cpu=1000, grace_seconds=2)
        site.server.put(raw_pdb("api", app="api", spec={"minAvailable": 1}))
        site.solver.goes = {"one-0": "n1", "two-0": "n1", "big-0": "n2", "api-0": "n1"}
        self.processes = {name: site.process(name) for name in "ab"}
        self.intruders = 0

    def do(self, action: tuple[str, str, Any]) -> None:
        """Carry out one action; a death ends the process in the middle of it."""
        kind, name, detail = action
        with contextlib.suppress(Killed):
            self._do(kind, name, detail)

    def _do(self, kind: str, name: str, detail: Any) -> None:
        site = self.site
        match kind:
            case "attempt":
                with contextlib.suppress(Exception):  # the boundary of the plans' task
                    self.processes[name].attempt(detail, relief=["uid-one-0"] if detail == "relief" else ())
            case "wait":
                site.wait(detail)
            case "fault":
                site.server.faults.add(FAULTS[detail[0]], path=detail[1], user=name)
            case "kill at":
                site.server.faults.add(Before(lambda: None), user=name, times=detail)
                site.server.faults.add(Before(self._killer(name)), user=name)
            case "pause at":
                site.server.faults.add(Before(lambda: None), user=name, times=detail[0])
                site.server.faults.add(Before(lambda: self._pause(name, detail[1])), user=name)
            case "restart":
                self._restart(name)
            case "deaf":
                site.extenders[name].deaf = detail
            case "intruder":
                self.intruders += 1
                pod = f"intruder-{self.intruders}"
                site.server.put(raw_pod(pod, node=detail, cpu=150, workload="intruder", owner=None))
            case "resize":
                site.server.put(raw_node("n1", cpu=detail))
            case _:
                site.policy, site.policy_hash = _policy(blocking=detail), f"blocking {detail}"

    def _killer(self, name: str) -> Any:
        process = self.processes[name]

        def kill() -> None:
            process.frozen = True
            raise Killed

        return kill

    def _pause(self, name: str, seconds: float) -> None:
        process = self.processes[name]
        process.frozen = True
        self.site.wait(seconds)
        process.frozen = False

    def _restart(self, name: str) -> None:
        self.processes[name].frozen = True
        self.processes[name] = self.site.process(name)

    def calm_down(self) -> None:
        """Let everything be well again, and whoever leads put things in order."""
        site = self.site
        site.server.faults.clear()
        for replica in site.extenders.values():
            replica.deaf = False
        for name in "ab":
            self._restart(name)
        site.wait(30)
        for process in self.processes.values():
            process.planner.ready()
        site.wait(90)


def _policy(*, blocking: bool) -> Any:
    limits = [{"scope": "cluster", "max": 3, "window": "10m"}, {"scope": "node", "max": 2, "window": "10m"}]
    return plan_policy(blocking=blocking, realiseWithin="5s", eviction={"limits": limits})


def check(site: Site) -> None:
    """Fail where a plan broke something or left something behind."""
    recorded: set[tuple[str, str]] = set()
    for call in site.server.calls:
        if call.resource == "evictionrecords" and call.verb == "create":
            recorded.add((call.user, uid_of(call)))
        if call.resource == "pods/eviction":
            assert (call.user, uid_of(call)) in recorded, f"{call} without a record"
    assert most_within(site.witness.evicted.values(), WINDOW) <= 3
    assert most_within([at for uid, at in site.witness.evicted.items() if uid in _ON_N2], WINDOW) <= 2
    pdb = site.server.find("poddisruptionbudgets", "api")
    assert pdb is not None
    assert pdb["status"]["currentHealthy"] >= 1
    assert site.slot().plan is None
    assert all(plan.phase.ended for plan in site.plans())
    assert all(replica.plan is None for replica in site.extenders.values())
    assert len(site.plans()) <= 20


_ON_N2: Final = ("uid-one-0", "uid-two-0")


def refuses(action: tuple[str, str, Any]) -> bool:
    """Tell whether an action lets a call fail for certain, refused or never sent: it may be made again at once."""
    kind, _, detail = action
    certain, evictions = {"409", "429", "not connected"}, {"*", "*/pods/*", "*/eviction"}
    return kind == "fault" and detail[0] in certain and detail[1] in evictions


@settings(max_examples=40)
@given(actions=st.lists(ACTIONS, min_size=3, max_size=14))
def test_no_order_of_events_lets_a_plan_break_anything(actions: list[tuple[str, str, Any]]) -> None:
    pair = Pair()

    for action in actions:
        pair.do(action)
    pair.calm_down()

    check(pair.site)
    # a process refunds its own unanswered call after 70 s; after a definite failure there may be another try at once
    asked = pair.site.server.calls.of("create", "pods/eviction")
    records = [raw for raw in pair.site.server.all("evictionrecords") if raw["status"]["state"] == "Refused"]
    if not any(refuses(action) for action in actions):
        assert set(asked_twice(asked, within=60.0)) <= {raw["spec"]["pod"]["uid"] for raw in records}
