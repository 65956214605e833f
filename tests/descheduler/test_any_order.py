"""Whatever happens to two processes in whatever order, nobody is evicted twice and no limit is exceeded."""

import contextlib
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.failures import Failure
from simulator.faults import After, Before, Delayed, Fail, Fault, LostAnswer, LostRequest, Unconnected
from tests.descheduler.site import OWN, Process, Site, policy
from tests.descheduler.test_every_call import Killed, asked_twice, check, killed, scene

PATHS: Final = ("*", "*/leases*", "*/evictionrecords", "*/evictionrecords/*", "*/pods/*", "*/eviction", "*/events")
FAULTS: Final[dict[str, Fault]] = {
    "request lost": LostRequest(),
    "answer lost": LostAnswer(),
    "not connected": Unconnected(),
    "slow": Delayed(1.5),
    "503": Fail(Failure(503, "ServiceUnavailable", "no")),
    "403": Fail(Failure(403, "Forbidden", "no")),
    "killed before": Before(killed),
    "killed after": After(killed),
}
NAMES: Final = st.sampled_from("ab")
ACTIONS: Final = st.one_of(
    st.tuples(st.just("run"), NAMES, st.sampled_from((0.0, 3.0, 16.0, 60.0))),
    st.tuples(st.just("run"), NAMES, st.sampled_from((0.0, 3.0, 16.0, 60.0))),
    st.tuples(st.just("fault"), NAMES, st.tuples(st.sampled_from(sorted(FAULTS)), st.sampled_from(PATHS))),
    st.tuples(st.just("wait"), NAMES, st.sampled_from((5.0, 20.0, 300.0))),
    st.tuples(st.just("restart"), NAMES, st.none()),
    st.tuples(st.just("delete lease"), NAMES, st.none()),
    st.tuples(st.just("pause policy"), NAMES, st.booleans()),
)


class Pair:
    """Two processes in one cluster; one that is killed starts again under another name of its own."""

    def __init__(self) -> None:
        self.site: Site = scene()
        self.site.others |= {"n1": 8.0, "n2": 8.0}
        self.processes = {name: self.site.process(name) for name in "ab"}

    def do(self, action: tuple[str, str, Any]) -> None:
        """Carry out one action; a death ends the process in the middle of it."""
        kind, name, detail = action
        try:
            self._do(kind, name, detail)
        except Killed:
            self._restart(name)

    def _do(self, kind: str, name: str, detail: Any) -> None:
        match kind:
            case "run":
                with contextlib.suppress(Exception):  # the loop's own boundary
                    self._run(self.processes[name], detail)
            case "fault":
                self.site.server.faults.add(FAULTS[detail[0]], path=detail[1], user=name)
            case "wait":
                self.site.clock.advance(detail)
            case "restart":
                self._restart(name)
            case "delete lease":
                if self.site.server.find("leases", "bayplan-descheduler", OWN) is not None:
                    self.site.server.remove("leases", "bayplan-descheduler", OWN)
            case _:
                self.site.policy = policy(limits=list(self._limits()), paused=detail)

    def _limits(self) -> list[dict[str, Any]]:
        return [
            {"scope": limit.scope, "max": limit.max, "window": f"{limit.window:g}s"}
            for limit in self.site.policy.eviction.limits
        ]

    def _run(self, process: Process, after: float) -> None:
        process.pause(after)
        process.elector.step()
        if process.elector.leads():  # a loop whose turn it is not stands by
            process.cycle.run(self.site.loaded)

    def _restart(self, name: str) -> None:
        with contextlib.suppress(Killed):
            self.processes[name] = self.site.process(name)


@settings(max_examples=60)
@given(actions=st.lists(ACTIONS, min_size=5, max_size=25))
def test_no_order_of_events_evicts_twice_or_beyond_a_limit(actions: list[tuple[str, str, Any]]) -> None:
    pair = Pair()

    for action in actions:
        pair.do(action)

    check(pair.site)
    # a process refunds its own unanswered call after 70 s; after a definite refusal there may be another try at once
    asked = pair.site.server.calls.of("create", "pods/eviction")
    assert set(asked_twice(asked, within=60.0)) <= refused(pair.site)


def refused(site: Site) -> set[str]:
    """Return the pods of which an attempt was refused for certain."""
    records = [raw for raw in site.server.all("evictionrecords") if raw["status"]["state"] == "Refused"]
    return {raw["spec"]["pod"]["uid"] for raw in records}
