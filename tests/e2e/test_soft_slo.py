"""Soft limits on a real control plane: who is moved for a missed objective, and who is not, in one run of the pair."""

from collections.abc import Callable

import pytest

from controlplane.clusters import ControlPlane
from controlplane.exporter import Exporter
from controlplane.programs.prometheus import Prometheus
from tests.e2e import suffering
from tests.e2e.homes import LATER
from tests.e2e.scenes import is_ready, node_of
from tests.e2e.suffering import NOT_PLACEMENT, RELEASE, SPELL, Course, begun_at

pytestmark = pytest.mark.timeout(420)


@pytest.fixture(scope="module")
def course(plane: ControlPlane, exporter: Exporter, prometheus: Prometheus) -> Course:
    """What one run left behind, for all tests of this file."""
    return suffering.run(plane, exporter, prometheus)


def test_under_a_hard_limit_the_very_next_cycle_evicts(course: Course) -> None:
    assert course.hard == ([], [course.homes["sudden"]])


def test_a_small_breach_for_twenty_seconds_evicts_nobody(course: Course) -> None:
    assert [name for name in course.soft.evicted if name.startswith("bearing-")] == []
    assert course.soft.told("EvictionRefused", "bearing") == []
    assert course.missed[course.homes["bearing"]] == pytest.approx(SPELL, abs=8)


@pytest.mark.parametrize("app", ["blowing", "lasting"])
def test_a_large_breach_and_a_lasting_one_evict_exactly_once(
    course: Course, app: str, record_property: Callable[[str, object], None]
) -> None:
    pod, home = course.homes[app], course.nodes[app]

    # the breach lasts on the node that the pod has left, until the very end
    assert [name for name in course.paper.evicted if name.startswith(f"{app}-")] == [pod]
    record = course.soft.records[pod]
    record_property("seconds_until_evicted", f"{begun_at(record) - course.began:.0f}")
    assert (record["status"]["state"], record["status"]["landing"]) == ("Accepted", "Moved")
    assert record["spec"]["rule"] == "soft-slo"
    assert record["status"]["node"] == course.nodes[f"{LATER}-1"] == record["spec"]["destination"]
    pods = {raw["metadata"]["name"]: raw for raw in course.soft.pods}
    replacement = pods[record["status"]["replacement"]["name"]]
    assert is_ready(replacement)
    assert node_of(replacement) not in ("", home)
    assert any(f"/{pod} evicted from {home} to " in message for message in course.soft.told("Evicted", app))
    assert len(course.soft.told("EvictionMoved", app)) == 1


def test_a_large_breach_is_over_before_the_eviction_and_a_lasting_one_takes_longer(course: Course) -> None:
    """A soft limit blows like a fuse: the average of the window decides, not how long anybody suffers."""
    blown, lasted = (begun_at(course.soft.records[course.homes[app]]) for app in ("blowing", "lasting"))

    assert course.missed[course.homes["blowing"]] == pytest.approx(SPELL, abs=8)
    assert course.began + SPELL < blown < lasted


@pytest.mark.parametrize("app", ["sudden", "blowing", "lasting"])
def test_steering_alone_keeps_the_replacements_from_where_they_came(course: Course, app: str) -> None:
    nodes, home, free = course.soft.explained[app], course.nodes[app], course.nodes[f"{LATER}-1"]

    assert nodes[home]["reason"] == "steering"
    assert nodes[free]["verdict"] == "feasible"
    assert nodes[home]["score"] > nodes[free]["score"]


@pytest.mark.parametrize(
    ("app", "words"),
    [(RELEASE, "3 of 3 measured replicas breach latency at once"), ("idle", "with headroom 0.8")],
)
def test_what_no_move_would_mend_is_refused_by_name_everywhere(course: Course, app: str, words: str) -> None:
    soft = course.soft

    assert [name for name in soft.evicted if name.startswith(f"{app}-")] == []
    (event,) = soft.told("EvictionRefused", app)
    assert event.startswith(f"nobody evicted ({NOT_PLACEMENT}): not a placement problem: ")
    assert words in event
    assert f"/{app} refused by {NOT_PLACEMENT}: " in soft.log
    assert soft.refused >= 2
    lines = [line for line in soft.report["lastRun"]["decisions"] if line.get("rail") == NOT_PLACEMENT]
    assert app in [line["workload"].rpartition("/")[2] for line in lines]


def test_the_papers_rule_evicts_all_the_same(course: Course) -> None:
    before, after = ({name.rsplit("-", 2)[0] for name in shot.evicted} for shot in (course.soft, course.paper))

    assert after - before == {RELEASE, "idle"}
