"""FC-056: every setting of evictions does something: changing it alone changes what happens in a cluster.

A scenario is data: the setting, two values of it, a cluster, and how long to run. A setting without one fails.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from policies.model.buoyancy import Buoyancy
from policies.model.eviction import Eviction, Steering
from policies.model.policy import Policy
from policies.model.sections import Section
from policies.values.records import Landing
from simulator.failures import Cause, Failure
from simulator.faults import Fail
from simulator.jsons import Raw, merged
from sources.kube.records import encode_record
from tests.builders import NOW
from tests.descheduler.builders import landed, make_policy, make_record
from tests.descheduler.scripted import At, ScriptedSignals
from tests.descheduler.site import CPU, OWN, WIDE, Site
from tests.raw import raw_claim, raw_volume

SLO: Final = {"name": "p99", "selector": {}, "indicator": "p99", "age": "p99_age", "atMost": 0.2, "window": "60s"}
BASE: Final[Raw] = {
    "signals": {"resources": {"cpu": CPU}},
    "slos": [SLO],
    "eviction": {"mode": "enforce", "limits": WIDE, "coolDown": {"initial": "1s", "max": "1s"}},
}
NODES: Final = {"n1": 1.15, "n2": 0.2, "n3": 0.3, "rest": 0.2}
PODS: Final = {"default/web-0": 1.2, "default/api-0": 0.9, "default/web-9": 1.0}
BUSY: Final = Fail(Failure(429, "TooManyRequests", "no", (Cause("DisruptionBudget", "needs 3 healthy pods"),)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One setting in two versions, in a cluster with a hot n1 that `prepare` changes.

    `nodes`, `pods` and `slos` are what the signals say; `given` are other settings that both runs have.
    """

    setting: str
    values: tuple[Any, Any]
    given: Raw = field(default_factory=dict)
    prepare: Callable[[Site], object] = lambda _: None
    nodes: Mapping[str, float | At] = field(default_factory=dict)
    slos: Mapping[str, float | At] = field(default_factory=dict)
    runs: tuple[float, ...] = (0.0,)

    def __str__(self) -> str:
        return self.setting

    def outcome(self, value: object) -> object:
        """Run and return what became of everybody, cycle by cycle."""
        section, _, key = self.setting.partition(".")
        site = Site(policy=self._policy({section: {key: value}}))
        site.add("web", "n1", "rest", "rest")
        site.add("api", "n1", "rest", "rest")
        site.signals = ScriptedSignals(
            nodes={**NODES, **self.nodes}, pods_use=dict(PODS), slos={"p99": self.slos} if self.slos else {}
        )
        self.prepare(site)
        process = site.process()
        found = []
        for after in self.runs:
            lines = process.run(after=after).decisions
            found.append([(str(line.pod), line.kind, line.rail, line.destination) for line in lines])
        return found, sorted(site.witness.evicted.items())

    def _policy(self, changed: Raw) -> Policy:
        return make_policy(**merged(merged(BASE, self.given), changed))


def breach(*pods: str) -> dict[str, float | At]:
    """Return an indicator of twice the objective for some pods, of half of it for the others."""
    names = ("web-0", "web-1", "web-2", "api-0")
    return {f"default/{name}": 0.4 if name in pods else 0.1 for name in names}


def lasting(seconds: float, *, high: float, low: float) -> At:
    """Return a value that is high since so many seconds."""
    return lambda time: high if time > NOW - seconds else low


def edit(plural: str, name: str, patch: Raw) -> Callable[[Site], object]:
    """Return the change of an object."""
    return lambda site: site.server.put(merged(site.server.find(plural, name), patch))


def claimed(site: Site) -> None:
    """Give `web-0` a volume that every node reaches."""
    site.server.put(raw_claim("data"), raw_volume("pv-1"))
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    edit("pods", "web-0", {"spec": {"volumes": volumes}})(site)


def second_web(site: Site) -> None:
    """Put another replica of `web` on n1 and two more beside."""
    site.add("web", "n1", "rest", "rest", "rest", "n1")
    site.signals.pods_use = {**site.signals.pods_use, "default/web-4": 1.1}


def never_placed(site: Site) -> None:
    """Let replacements wait for ever."""
    second_web(site)
    site.place = lambda _: None


def busy(site: Site) -> None:
    """Let the API server refuse evictions for 20 s."""
    site.server.faults.add(BUSY, path="*/eviction", times=float("inf"))
    site.clock.call_after(20, site.server.faults.clear)


def taken_from(node: str) -> Callable[[Site], object]:
    """Return the change that `web` was taken off a node two minutes ago."""
    seen = landed(Landing.MOVED, replacement="web-8", replacement_uid="uid-web-8", ready_at=NOW - 100)
    record = make_record("uid-gone", pod_uid="uid-gone", node=node, verification=seen)

    def write(site: Site) -> None:
        raw = encode_record(record, OWN)
        raw["metadata"]["creationTimestamp"] = "2027-01-15T07:58:00Z"
        raw["metadata"]["uid"] = "uid-record"
        site.server.put(raw)

    return write


def flips(time: float) -> float:
    """Hot for five minutes but for one evaluation a minute ago, at a headroom of 0.03."""
    return 0.97 if abs(time - (NOW - 60)) < 5 else 1.15


VETO: Final = {"metadata": {"annotations": {"bayplan.dev/no-evict": "true"}}}
DEEP: Final[Mapping[str, float | At]] = {"n1": 3.0}
ROOMY: Final[Mapping[str, float | At]] = {"n1": 0.5}
MODEST: Final[Mapping[str, float | At]] = {"n1": 0.8, "n2": 0.55, "n3": 0.58}
FULL: Final[Mapping[str, float | At]] = {"n2": 0.85, "n3": 0.85}

SCENARIOS: Final = (
    Scenario(setting="eviction.mode", values=("enforce", "observe")),
    Scenario(setting="eviction.paused", values=(False, True)),
    Scenario(setting="eviction.limits", values=(WIDE, [{"scope": "cluster", "max": 0, "window": "1h"}])),
    Scenario(setting="eviction.victimsPerNode", values=(1, 2), slos=breach("api-0")),
    Scenario(setting="eviction.minReadyReplicas", values=(2, 3)),
    Scenario(setting="eviction.minPodAge", values=("5m", "2h")),
    Scenario(setting="eviction.readyFor", values=("0s", "5m"), prepare=second_web, nodes=DEEP, runs=(0, 30, 30)),
    Scenario(
        setting="eviction.consecutive",
        values=(1, 40),
        nodes={**MODEST, **FULL},
        slos={**breach(), "default/web-0": lasting(100, high=0.4, low=0.1)},
        given={"eviction": {"netGain": "off", "destination": "off"}},
    ),
    Scenario(
        setting="eviction.coolDown",
        values=({"initial": "1s", "max": "1s"}, {"initial": "1h", "max": "1h"}),
        given={"eviction": {"readyFor": "0s"}},
        prepare=second_web,
        nodes=DEEP,
        runs=(0, 30, 30),
    ),
    Scenario(setting="eviction.onlyIfNodeBelow", values=(0.3, "off"), nodes=ROOMY, slos=breach("web-0")),
    Scenario(
        setting="eviction.maxBreachedShare",
        values=("50%", "100%"),
        nodes={"n1": 0.9},
        slos=breach("web-0", "web-1", "web-2"),
    ),
    Scenario(setting="eviction.fallBack", values=("next", "none"), prepare=edit("pods", "web-0", VETO)),
    Scenario(setting="eviction.destination", values=("required", "off"), nodes=FULL),
    Scenario(setting="eviction.netGain", values=("required", "off"), nodes=MODEST, slos=breach("web-0")),
    Scenario(
        setting="eviction.maxUnusableNodes",
        values=("35%", "10%"),
        prepare=edit("nodes", "n3", {"spec": {"unschedulable": True}}),
    ),
    Scenario(setting="eviction.evictPodsWithClaims", values=(True, False), prepare=claimed),
    Scenario(setting="eviction.protectedNamespaces", values=([], ["default"])),
    Scenario(setting="eviction.retryFor", values=("0s", "10m"), prepare=busy),
    Scenario(
        setting="eviction.landingTimeout", values=("10m", "1m"), prepare=never_placed, nodes=DEEP, runs=(0, 70, 70)
    ),
    Scenario(setting="eviction.maxRecords", values=(5000, 1), prepare=taken_from("n9")),
    Scenario(setting="buoyancy.filterBelow", values=(0.1, 0.7)),
    Scenario(setting="buoyancy.descheduleBelow", values=(0.0, -0.5)),
    Scenario(setting="buoyancy.descheduleAfter", values=("3m", "8m"), nodes={"n1": lasting(300, high=1.15, low=0.5)}),
    Scenario(setting="buoyancy.clearAbove", values=(0.02, 0.05), nodes={"n1": flips}),
    Scenario(
        setting="buoyancy.includeSlack",
        values=("score", "filter"),
        slos={"default/there-0": 0.19},
        prepare=lambda site: site.add("there", "n2", "n3"),
    ),
    Scenario(setting="steering.avoidSource", values=("10m", "0s"), prepare=taken_from("n2")),
)
# What the extender does with these is tested in tests/policies/placement/test_filtering.py and tests/extender.
OF_THE_EXTENDER: Final = {"buoyancy.maxRefusedNodes", "buoyancy.maxHold"}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_fc_056_changing_only_this_setting_changes_what_happens(scenario: Scenario) -> None:
    one, other = scenario.values

    assert scenario.outcome(one) != scenario.outcome(other)


def test_fc_056_every_setting_of_evictions_has_a_scenario() -> None:
    sections: dict[str, type[Section]] = {"eviction": Eviction, "buoyancy": Buoyancy, "steering": Steering}
    settings = {
        f"{name}.{field.alias}" for name, section in sections.items() for field in section.model_fields.values()
    }

    assert settings - OF_THE_EXTENDER == {scenario.setting for scenario in SCENARIOS}
