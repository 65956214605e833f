"""Every way in which a plan may end, and how each is brought about."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from policies.values.plans import PlanPhase
from simulator.failures import Failure
from simulator.faults import After, Before, Delayed, Fail, Fault, LostAnswer
from tests.descheduler.planning.site import OWN, Process, Site, paper, plan_policy
from tests.descheduler.planning.under_way import abort, in_phase, started, two_victims
from tests.raw import raw_pod

SERVER_ERROR: Final = Fail(Failure(500, "InternalError", "no"))
EVICTION: Final = "*/eviction"
BUDGET: Final = Fail(
    Failure(429, "TooManyRequests", "no", details={"causes": [{"reason": "DisruptionBudget", "message": "no"}]})
)


@dataclass(frozen=True)
class Way:
    """One way to end: the word that metrics have for it, words of its reason, and what brings it about.

    What happened is done in a phase, or at the first call that meets a fault; the scheduler binds nobody if `idle`.
    """

    word: str
    words: str
    happens: Callable[[Site, Process], object] = lambda _site, _process: None
    at: PlanPhase | str | None = None
    end: PlanPhase = PlanPhase.ABORTED
    site: Callable[[], Site] = paper
    idle: bool = False
    trigger: str = "periodic"


def fault(site: Site, what: Fault, path: str, method: str = "*", times: float = 1) -> None:
    site.server.faults.add(what, path=path, method=method, times=times)


def hang(site: Site) -> None:
    """Let the victim never end."""
    raw = site.server.find("pods", "pod3-0")
    assert raw is not None
    site.server.put(raw | {"metadata": raw["metadata"] | {"finalizers": ["test/hangs"]}})


def other_policy(site: Site) -> None:
    site.policy_hash = "another"


def silence(site: Site) -> None:
    site.extenders["one"].dead = True
    site.wait(7)


def drop_all(site: Site) -> None:
    """Let the only replica hear nothing any more: it drops the plan, and says so."""
    site.extenders["one"].deaf = True


def second_goes(site: Site) -> None:
    (first,) = site.evictions()
    site.server.remove("pods", "two-0" if first == "one-0" else "one-0")


def crash(_site: Site, _process: Process) -> None:
    raise LookupError("no such berth")


def blocking() -> Site:
    return paper(policy=plan_policy(blocking=True))


def relief() -> Site:
    site = two_victims()
    site.policy = plan_policy(relief=True)
    return site


INSTALLING, EVICTING, REALISING = PlanPhase.INSTALLING, PlanPhase.EVICTING, PlanPhase.REALISING
WAYS: Final = {
    "a person, before it begins": Way(
        "abort-requested", "abort requested: maintenance", lambda site, _: abort(site), INSTALLING
    ),
    "a person, between evictions": Way(
        "abort-requested", "abort requested: maintenance", lambda site, _: abort(site), EVICTION, site=two_victims
    ),
    "a person, while victims end": Way(
        "abort-requested", "abort requested: maintenance", lambda site, _: abort(site), EVICTING
    ),
    "a person, while pods are bound": Way(
        "abort-requested", "abort requested: maintenance", lambda site, _: abort(site), REALISING, idle=True
    ),
    "a person, while it is computed": Way(
        "abort-requested", "abort requested: maintenance", lambda site, _: abort(site), "solve", site=blocking
    ),
    "the slot is deleted": Way(
        "slot", "the slot was deleted", lambda site, _: site.server.remove("planslots", "active", OWN), EVICTING
    ),
    "no replica": Way("not-acknowledged", "no replica of the extender lives", site=lambda: paper(replicas=())),
    "no replica, blocking": Way(
        "not-acknowledged",
        "no replica of the extender lives",
        site=lambda: paper(replicas=(), policy=plan_policy(blocking=True)),
    ),
    "the only replica falls silent": Way(
        "replicas", "no replica of the extender lives", lambda site, _: silence(site), EVICTION, site=two_victims
    ),
    "the only replica drops it": Way(
        "replicas", "replica one dropped the plan", lambda site, _: drop_all(site), REALISING, idle=True
    ),
    "the process is told to stop": Way(
        "stopping", "the descheduler is ending", lambda _, process: process.stop.set(), EVICTING
    ),
    "the lease is lost": Way(
        "lease",
        "this process does not hold the lease",
        lambda site, _: fault(site, SERVER_ERROR, "*/leases/bayplan-descheduler", times=float("inf")),
        EVICTING,
    ),
    "another policy": Way(
        "policy-changed",
        "another policy has come into force",
        lambda site, _: other_policy(site),
        EVICTION,
        site=two_victims,
    ),
    "the cluster cannot be read": Way(
        "unreadable",
        "nodes could not be read",
        lambda site, _: fault(site, SERVER_ERROR, "*/nodes", "GET", times=float("inf")),
        INSTALLING,
    ),
    "drift": Way("plan-drift", "pod3-0 on n2 is gone", lambda site, _: site.server.remove("pods", "pod3-0"), "solve"),
    "a node is lost": Way(
        "overtaken", "node n2 is gone", lambda site, _: site.server.remove("nodes", "n2"), REALISING, idle=True
    ),
    "a bypass": Way(
        "overtaken",
        "default/intruder",
        lambda site, _: site.server.put(raw_pod("intruder", node="n2", cpu=500, workload="intruder", owner=None)),
        EVICTING,
    ),
    "a victim is gone": Way(
        "gone", "not evicted: it is gone", lambda site, _: second_goes(site), EVICTION, site=two_victims
    ),
    "an eviction is refused": Way(
        "eviction-refused",
        "429 disruption budget",
        lambda site, _: fault(site, BUDGET, EVICTION),
        EVICTION,
        site=two_victims,
    ),
    "an eviction has no answer": Way(
        "eviction-unknown",
        "nobody can tell whether it was evicted",
        lambda site, _: fault(site, Delayed(20.0), EVICTION),
        INSTALLING,
    ),
    "what was measured is old": Way(
        "stale-decision",
        "measured more than",
        lambda site, _: site.wait(61),
        EVICTION,
        site=relief,
        trigger="relief",
    ),
    "a victim does not end": Way(
        "timed-out",
        "still terminating: default/pod3-0",
        lambda site, _: hang(site),
        INSTALLING,
        end=PlanPhase.TIMED_OUT,
    ),
    "nobody is bound": Way("timed-out", "pods of ReplicaSet", end=PlanPhase.TIMED_OUT, idle=True),
    "it breaks down": Way("failed", "the descheduler failed while it carried out the plan", crash, EVICTION),
    "its creation is not confirmed": Way(
        "unconfirmed",
        "the plan could not be created: ",
        lambda site, _: fault(site, LostAnswer(), "*/placementplans", "POST"),
        "solve",
    ),
    "it cannot be filled": Way(
        "plan",
        "the plan could not be written: 500",
        lambda site, _: fault(site, SERVER_ERROR, "*/placementplans/*", "PATCH"),
        "solve",
        site=blocking,
    ),
}


def bring_about(way: Way) -> tuple[Site, Process]:
    """Let a plan end this way."""
    site = way.site()
    process = started(site)
    site.scheduler.paused = way.idle

    def happen() -> None:
        way.happens(site, process)

    if isinstance(way.at, PlanPhase):
        in_phase(site, way.at, happen)
    elif way.at == "solve":
        site.solver.meanwhile = lambda _: happen()
    elif way.at is not None:
        when = Before if way.word == "failed" else After
        site.server.faults.add(when(happen), path=way.at)
    try:
        process.attempt(way.trigger, relief=["uid-one-0", "uid-two-0"] if way.trigger == "relief" else ())
    except LookupError:
        assert way.word == "failed"
    site.server.faults.clear()
    process.planner.ready()
    return site, process
