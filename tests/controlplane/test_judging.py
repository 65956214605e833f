"""The judge of evictions must be able to find fault: every limit kept to, and broken."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from controlplane.auditing import Request
from controlplane.judging import Judgement, Rules, judge
from controlplane.objects import Object
from controlplane.observing import Seen
from controlplane.replaying import in_order

EVICTED = {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"}
PREEMPTED = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
READY = {"type": "Ready", "status": "True"}
MADE = "2026-11-30T20:00:00Z"
LATER = "2026-11-30T20:05:00Z"
OURS = "system:serviceaccount:bayplan-system:bayplan-descheduler"


@dataclass
class Story:
    """Writes down what happens as watches and the audit log would."""

    seen: dict[str, list[Seen]] = field(default_factory=dict)
    calls: list[Request] = field(default_factory=list)
    now: dict[str, Object] = field(default_factory=dict)
    revision: int = 0

    def tell(self, kind: str, body: Object, *, how: str = "MODIFIED") -> Object:
        """Tell of one change of an object; return the object as it is now."""
        self.revision += 1
        metadata = body["metadata"] | {"namespace": "t", "resourceVersion": str(self.revision)}
        written = body | {"metadata": metadata}
        self.seen.setdefault(kind, []).append(Seen(float(self.revision), how, written))
        self.now[metadata["name"]] = written
        return written

    def workload(self, name: str, replicas: int, *, kind: str = "Deployment", node: str = "n1") -> "Story":
        """Tell of a workload whose pods, `<name>-0` and so on, are all Ready."""
        self.tell(kind, {"metadata": {"name": name}, "spec": {"replicas": replicas}})
        maker = {"kind": kind, "name": name}
        if kind == "Deployment":
            maker = {"kind": "ReplicaSet", "name": f"{name}-set"}
            self.tell(
                "ReplicaSet", owned(f"{name}-set", {"kind": kind, "name": name}) | {"spec": {"replicas": replicas}}
            )
        for number in range(replicas):
            self.tell("Pod", pod(f"{name}-{number}", maker, app=name, node=node))
        return self

    def budget(self, app: str, **spec: Any) -> "Story":
        """Tell of a budget over the pods of an app."""
        selector = {"matchLabels": {"app": app}}
        self.tell("PodDisruptionBudget", {"metadata": {"name": app}, "spec": {"selector": selector} | spec})
        return self

    def unready(self, name: str) -> "Story":
        """Tell that a pod is no longer Ready."""
        self.tell("Pod", self.now[name] | {"status": {"phase": "Running", "conditions": []}})
        return self

    def evict(self, name: str, *, at: float = 100.0, noted_by: str = "", ask: int = 1) -> "Story":
        """Tell of an eviction as the API server carries it out: budget, condition, deletion."""
        before = self.now[name]
        uid = before["metadata"]["uid"]
        self.calls += [call(name, uid=uid, at=at)] * ask
        if noted_by:
            self.tell("PodDisruptionBudget", self.now[noted_by] | {"status": {"disruptedPods": {name: LATER}}})
        self.end(name, EVICTED)
        return self

    def end(self, name: str, why: Object) -> "Story":
        """Tell that a pod was marked, went, and is gone."""
        before = self.now[name]
        status = before["status"] | {"conditions": [*before["status"]["conditions"], why]}
        marked = self.tell("Pod", before | {"status": status})
        going = marked | {"metadata": marked["metadata"] | {"deletionTimestamp": LATER}}
        self.tell("Pod", going)
        self.tell("Pod", going, how="DELETED")
        return self

    def replace(self, name: str, by: str) -> "Story":
        """Tell of a pod that came for another one."""
        old = self.now[name]
        metadata = old["metadata"] | {"name": by, "uid": f"uid of {by}, again", "creationTimestamp": LATER}
        metadata.pop("deletionTimestamp", None)
        self.tell("Pod", old | {"metadata": metadata, "status": {"phase": "Running", "conditions": [READY]}})
        return self

    def judged(self, **rules: Any) -> Judgement:
        """Return the judgement."""
        return judge(in_order(self.seen), self.calls, Rules(**rules))

    def findings(self, **rules: Any) -> tuple[str, ...]:
        """Return what is found wrong."""
        return self.judged(**rules).findings


def owned(name: str, owner: Object) -> Object:
    return {"metadata": {"name": name, "ownerReferences": [owner | {"controller": True}]}}


def pod(name: str, owner: Object, *, app: str, node: str = "n1") -> Object:
    made = owned(name, owner)
    made["metadata"] |= {"uid": f"uid of {name}", "labels": {"app": app}, "creationTimestamp": MADE}
    return made | {"spec": {"nodeName": node}, "status": {"phase": "Running", "conditions": [READY]}}


def call(name: str, *, uid: str = "", at: float = 100.0, **changes: Any) -> Request:
    given = {"user": OURS, "verb": "create", "group": "", "resource": "pods", "subresource": "eviction"}
    return Request(**{**given, "namespace": "t", "name": name, "code": 201, "at": at, "uid": uid, **changes})


def test_nothing_is_wrong_with_an_eviction_within_all_limits() -> None:
    story = Story().workload("web", 3).budget("web", minAvailable=2)

    judged = story.evict("web-0", noted_by="web").replace("web-0", "web-9").judged()

    assert judged.findings == ()
    assert [(one.pod, one.node, one.left) for one in judged.evictions] == [("web-0", "n1", 2)]
    assert judged.budgets_judged == 1


@pytest.mark.parametrize("noted", ["web", ""], ids=["noted-in-the-budget", "seen-at-the-pod-only"])
@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({"minAvailable": 3}, 3),
        ({"minAvailable": "70%"}, 3),
        ({"maxUnavailable": 0}, 3),
        ({"maxUnavailable": "0%"}, 3),
        ({}, 3),
    ],
)
def test_an_eviction_that_a_budget_forbids_is_found(spec: dict[str, Any], wanted: int, noted: str) -> None:
    story = Story().workload("web", 3).budget("web", **spec)

    found = story.evict("web-0", noted_by=noted).replace("web-0", "web-9").findings()

    assert found == (f"web-0 was evicted with 2 healthy pods left; the budget web wants {wanted}",)


def test_pods_that_are_not_ready_or_on_their_way_out_do_not_count_for_a_budget() -> None:
    story = Story().workload("web", 3).budget("web", minAvailable=2).unready("web-2")

    assert "1 healthy pods left" in story.evict("web-0", noted_by="web").findings(pending={"web"})[0]
    later = Story().workload("web", 3).budget("web", minAvailable=2).end("web-1", PREEMPTED)
    assert "1 healthy pods left" in later.evict("web-0", noted_by="web").findings()[0]


def test_a_new_pod_of_an_evicted_ones_name_counts_for_the_budget_again() -> None:
    story = Story().workload("db", 3, kind="StatefulSet").budget("db", minAvailable=2)
    story.evict("db-0", noted_by="db").replace("db-0", "db-0")
    both = {"db-0": MADE, "db-1": LATER}  # the controller has not taken the first note away yet
    story.tell("PodDisruptionBudget", story.now["db"] | {"status": {"disruptedPods": {"db-0": "2026-11-30T20:01:00Z"}}})

    story.calls.append(call("db-1", uid="uid of db-1", at=1000.0))
    story.tell("PodDisruptionBudget", story.now["db"] | {"status": {"disruptedPods": both}})
    story.end("db-1", EVICTED).replace("db-1", "db-1")

    assert story.findings() == ()


def test_a_budget_that_was_raised_after_an_eviction_does_not_judge_it() -> None:
    story = Story().workload("web", 3).budget("web", minAvailable=2)
    story.evict("web-0", noted_by="web")

    assert story.budget("web", minAvailable=3).replace("web-0", "web-9").findings() == ()


def test_two_evictions_of_one_pod_are_found_and_two_pods_of_one_name_are_not() -> None:
    found = Story().workload("web", 3).evict("web-0", ask=2).replace("web-0", "web-9").findings(workload=9)
    apart = Story().workload("db", 3, kind="StatefulSet").evict("db-0").replace("db-0", "db-0").evict("db-0", at=900.0)

    assert found == ("the pod with UID uid of web-0 was evicted 2 times",)
    assert apart.replace("db-0", "db-0").findings() == ()


def test_evictions_that_were_refused_or_only_tried_count_for_nothing() -> None:
    story = Story().workload("web", 3)
    story.calls += [call("web-0", uid="uid of web-0", code=429), call("web-0", uid="uid of web-0", dry_run=True)]

    assert story.evict("web-0").replace("web-0", "web-9").findings() == ()


@pytest.mark.parametrize(
    ("rules", "scope"),
    [
        ({"workload": 1}, "2 evictions within 600 s in the workload ('Deployment', 't', 'web'); allowed are 1"),
        ({"workload": 9, "node": 1}, "2 evictions within 600 s in the node n1; allowed are 1"),
        ({"workload": 9, "cluster": 1}, "2 evictions within 600 s in the cluster ; allowed are 1"),
    ],
)
def test_more_evictions_in_a_window_than_allowed_are_found(rules: dict[str, int], scope: str) -> None:
    def story(second: float) -> Story:
        made = Story().workload("web", 4).evict("web-0", at=100.0).replace("web-0", "web-8")
        return made.evict("web-1", at=second).replace("web-1", "web-9")

    assert story(699.0).findings(**rules) == (scope,)
    assert story(700.0).findings(**rules) == ()


def test_a_workload_left_below_its_floor_is_found() -> None:
    story = Story().workload("web", 1).evict("web-0").replace("web-0", "web-9")

    assert story.findings() == ("web-0 was evicted with 0 Ready pods of Deployment web left; the floor is 1",)
    assert story.findings(floor=0) == ()


def test_a_workload_that_is_not_back_to_its_replicas_is_found() -> None:
    story = Story().workload("web", 3).workload("db", 2, kind="StatefulSet").evict("web-0").unready("db-1")

    short = "Deployment web has 2 pods, 3 are wanted"
    waiting = "StatefulSet db has 1 Ready pods, 2 are wanted"
    assert set(story.findings()) == {short, waiting}
    assert set(story.findings(pending={"web", "db"})) == {short}


def test_a_deletion_by_those_who_may_only_evict_is_found() -> None:
    story = Story().workload("web", 2)
    story.calls += [call("web-0", verb="delete", subresource="", code=200, user=user) for user in (OURS, "somebody")]

    assert story.findings(users={OURS}) == (f"{OURS} deleted the pod web-0 instead of evicting it",)


def test_an_observer_that_missed_an_eviction_says_so() -> None:
    story = Story().workload("web", 2)
    story.calls.append(call("web-0", uid="uid of web-0"))

    assert story.findings() == (
        "the eviction of web-0 was granted, but nobody saw the pod go: this observer has a gap",
    )


def test_changes_of_several_kinds_are_put_into_one_order_and_every_one_counts_once() -> None:
    story = Story().workload("web", 1)
    story.seen["Pod"] *= 2  # a watch that was opened again lists what is there

    assert [change.kind for change in in_order(story.seen)] == ["Deployment", "ReplicaSet", "Pod"]
