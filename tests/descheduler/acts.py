"""What tests of acting share: a process that may die, its victims, what is left in the cluster."""

import random
from dataclasses import dataclass, field
from typing import Any

from descheduler import acting
from descheduler.acting import Attempt, Hands, Orders
from descheduler.elector import Elector, Terms
from descheduler.evictor import ApiEvictor, RecordingEvictor, barring
from descheduler.ledger import Ledger, LedgerKeeper
from policies.values.candidates import Candidate, Victim
from policies.values.pods import Pod
from policies.values.refusals import Refusal
from simulator.api_server import ApiServer
from tests.descheduler.builders import WEB

EVICTIONS = "*/eviction"
RECORDS = "*/evictionrecords*"
LEASES = "*/leases*"


class Killed(BaseException):
    """SIGKILL: nothing in the process may catch it."""


def killed() -> None:
    """End the process here."""
    raise Killed


@dataclass
class Process:
    """One descheduler process: its elector, its ledger and its hands; a restart is a new one."""

    server: ApiServer
    name: str = "a"
    observing: bool = False
    retry_for: float = 30.0
    verdicts: list[Refusal | None] = field(default_factory=list)
    stopping: bool = False
    outdated: bool = False
    seen: list[tuple[Ledger, tuple[Victim, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.api = self.server.connect(self.name)
        clock = self.server.clock
        terms = Terms(namespace="bayplan-system", holder=self.name)
        self.elector = Elector(self.api, terms, clock=clock)
        self.keeper = LedgerKeeper(self.api, namespace="bayplan-system", writer=self.name, clock=clock)
        self.elector.step()

    def __call__(self, victim: Victim, *, ledger: Ledger, done: tuple[Victim, ...]) -> Victim | Refusal:
        """Answer as the checks would, from a script; without one everybody may go."""
        self.seen.append((ledger, done))
        return (self.verdicts.pop(0) if self.verdicts else None) or victim

    def act(self, *pods: Pod) -> tuple[Attempt, ...]:
        """Attempt to evict these pods."""
        barred = barring(leads=self.elector.leads, stopping=lambda: self.stopping, outdated=lambda: self.outdated)
        evictor = RecordingEvictor(self.api) if self.observing else ApiEvictor(self.api, barred=barred)
        orders = Orders(
            observing=self.observing,
            evictor=evictor,
            retry_for=self.retry_for,
            good_for=60.0,
            draft=lambda victim: acting.draft_of(victim, policy_hash="hash"),
        )
        hands = Hands(
            keeper=self.keeper,
            leads=self.elector.leads,
            stopping=lambda: self.stopping,
            outdated=lambda: self.outdated,
            pause=self.pause,
            clock=self.server.clock,
            rng=random.Random(1),
        )
        return acting.act([victim(pod) for pod in pods], orders=orders, hands=hands, revalidate=self)

    def pause(self, seconds: float) -> bool:
        """Let time pass, renewing the lease on the way as the elector's thread would."""
        while seconds > 0:
            self.server.clock.advance(min(seconds, 2.0))
            self.elector.step()
            seconds -= 2.0
        return self.stopping


def victim(pod: Pod) -> Victim:
    """Return a pod chosen to go to n2."""
    candidate = Candidate(
        pod=pod, node="n1", rule="buoyancy", reason="cpu", workload=WEB, evidence={"headroom": -0.2, "pod.cpu": 0.5}
    )
    return Victim(candidate=candidate, destination="n2")


def records(server: ApiServer) -> dict[str, Any]:
    """Return state and answer of each record."""
    found = {raw["metadata"]["name"]: raw["status"] for raw in server.all("evictionrecords")}
    return {name: (status["state"], status["answer"]) for name, status in found.items()}


def states(server: ApiServer) -> dict[str, str]:
    """Return the state of each record."""
    return {name: state for name, (state, _) in records(server).items()}


def calls(server: ApiServer) -> int:
    """Count the eviction calls that reached the server."""
    return len(server.calls.of("create", "pods/eviction"))


def is_going(server: ApiServer, name: str = "web-0") -> bool:
    """Tell whether a pod is gone or terminating."""
    raw = server.find("pods", name)
    return raw is None or "deletionTimestamp" in raw["metadata"]
