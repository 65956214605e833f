"""A whole process with its threads on the in-memory API: begins, acts, reloads, ends."""

import contextlib
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from descheduler.process import Process, Setting
from descheduler.running import NotLeading
from policies.model.loading import Loaded
from policies.model.policy import Policy
from simulator.faults import After
from sources.kube import errors
from sources.signals.reader import Inventory
from tests.descheduler.cycles import hot
from tests.descheduler.scripted import ScriptedSignals
from tests.descheduler.site import OWN, Site, policy
from tests.manifests import rights


@dataclass
class PolicyInMemory:
    """A policy that a test exchanges."""

    current: Loaded
    trouble: str | None = None
    reloaded: int = 0
    rejected: int = 0

    def run(self, stop: threading.Event) -> None:
        """Wait; a test changes the policy itself."""
        stop.wait()


@dataclass
class Signals:
    """Opens scripted readers and remembers for which policy and with which inventory."""

    site: Site
    opened: list[Policy] = field(default_factory=list)
    inventory: Callable[[], Inventory] | None = None

    def __call__(self, opened: Policy, inventory: Callable[[], Inventory]) -> ScriptedSignals:
        """Return the site's signals."""
        self.opened.append(opened)
        self.inventory = inventory
        return self.site.measured()


@dataclass
class Run:
    """A process in a thread of its own."""

    process: Process
    policy: PolicyInMemory
    signals: Signals
    port: int
    thread: threading.Thread

    def readiness(self) -> dict[str, Any]:
        """Ask the process how it is doing; nothing is known before it listens."""
        detail: dict[str, Any] = {}
        with (
            contextlib.suppress(urllib.error.URLError),
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as answer,  # loopback
        ):
            detail = json.loads(answer.read())
        return detail


def setting(site: Site, *, name: str = "a", chosen: Policy | None = None) -> tuple[Setting, PolicyInMemory, Signals]:
    """Return what a process runs with."""
    source, signals = PolicyInMemory(Loaded(policy=chosen or site.policy, hash="first")), Signals(site)
    api = site.server.connect(name, rights("descheduler"))
    made = Setting(api=api, policy=source, open_signals=signals, namespace=OWN, holder=name, interval=0.05)
    return made, source, signals


def eventually(met: Callable[[], object]) -> None:
    """Wait until something is so, for seconds at most."""
    ends = time.monotonic() + 20
    while not met():
        assert time.monotonic() < ends, "it did not become so within 20 s"
        time.sleep(0.02)


@pytest.fixture
def start() -> Iterator[Callable[[Site], Run]]:
    """Start processes and end them after the test."""
    runs: list[tuple[Run, Site]] = []

    def begin(site: Site) -> Run:
        made, source, signals = setting(site)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        process = Process(made)
        thread = threading.Thread(target=lambda: process.run_loop(host="127.0.0.1", port=port))
        thread.start()
        run = Run(process, source, signals, port, thread)
        runs.append((run, site))
        return run

    yield begin
    for run, site in runs:
        run.process.setting.stop.set()
        run.thread.join(20)
        site.server.close()
        assert not run.thread.is_alive()


def holder(site: Site) -> str:
    """Return whom the Lease names."""
    lease = site.server.find("leases", "bayplan-descheduler", OWN)
    return "" if lease is None else str(lease["spec"]["holderIdentity"])


def last_run(site: Site) -> dict[str, Any]:
    """Return what the report says of the last run."""
    report = site.server.find("deschedulerreports", "descheduler", OWN) or {"status": {"lastRun": {}}}
    found: dict[str, Any] = report["status"]["lastRun"]
    return found


def test_a_loop_evicts_from_its_watches_and_frees_the_lease_when_it_is_stopped(start: Callable[[Site], Run]) -> None:
    site = hot()
    run = start(site)

    eventually(lambda: site.evictions() == ["web-0"])
    eventually(lambda: run.readiness().get("ready"))
    led = holder(site)
    run.process.setting.stop.set()
    run.thread.join(20)

    assert (led, holder(site)) == ("a", "")
    assert site.records()["web-0"]["state"] == "Accepted"
    inventory = run.signals.inventory
    assert inventory is not None
    assert {"n1", "n2", "n3", "rest"} == set(inventory().nodes)
    assert "default/api-0" in (inventory().pods or ())


def test_readiness_tells_what_is_in_force_and_what_is_wrong(start: Callable[[Site], Run]) -> None:
    site = hot(mode="observe")
    run = start(site)
    run.policy.trouble = "policy.yaml:3: seen 7"
    run.policy.rejected = 1

    eventually(lambda: run.readiness().get("leading"))
    detail = run.readiness()

    assert detail["policy"] == "first"
    assert detail["policyTrouble"] == "policy.yaml:3: seen 7"
    assert (detail["mode"], detail["unreadable"], detail["signals"]) == ("observe", {}, {})
    assert b'bayplan_descheduler_policy_changes{result="refused"} 1.0' in run.process.exposition()


def test_another_policy_takes_effect_without_a_restart(start: Callable[[Site], Run]) -> None:
    site = hot(mode="observe")
    run = start(site)
    eventually(lambda: "web-0" in site.records())

    run.policy.current = Loaded(policy=policy(), hash="second")
    # a policy that comes in the middle of a cycle refuses web-0 for a second, and then another one goes
    eventually(site.evictions)

    assert len(site.evictions()) == 1
    assert [opened.eviction.mode for opened in run.signals.opened] == ["observe", "enforce"]
    eventually(lambda: last_run(site).get("policyHash") == "second")


def test_a_process_stopped_while_it_evicts_finishes_the_write_and_starts_no_other() -> None:
    site = Site(demands={"web": 1.5, "api": 1.0}, others={"n1": 3.0, "n2": 3.2, "n3": 0.1, "rest": -1.5})
    site.add("web", "n1", "rest", "rest")
    site.add("api", "n2", "rest", "rest")
    made, _, _ = setting(site)
    site.server.faults.add(After(made.stop.set), path="*/eviction")

    result = Process(made).run_once()

    assert len(site.evictions()) == 1
    assert [status["state"] for status in site.records().values()] == ["Accepted"]
    assert sorted(line.rail for line in result.decisions) == ["", "stopping"]
    assert holder(site) == ""


def test_a_single_run_that_cannot_lead_frees_nothing() -> None:
    site = hot()
    leader = site.process("leader")

    class Renewing(threading.Event):
        """The other process lives while we wait."""

        def wait(self, timeout: float | None = None) -> bool:
            site.server.clock.advance(min(timeout or 0.0, 1.0))
            leader.elector.step()
            return False

    made = replace(setting(site, name="once")[0], stop=Renewing())
    with pytest.raises(NotLeading):
        Process(made).run_once()

    assert holder(site) == "leader"


def test_an_api_that_cannot_be_reached_ends_a_single_run() -> None:
    site = hot(mode="observe")
    made, _, _ = setting(site)
    site.server.close()
    made.stop.set()

    with pytest.raises(errors.Unreachable):
        Process(made).run_once()
