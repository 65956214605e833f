"""The stand-ins' objects are such as Bayplan reads, and their answers such as Prometheus gives."""

from typing import Any

import orjson
import pytest

from bench import crowding, planned, plans, population, webhooks
from bench.loads import kube
from bench.loads.prometheus import Answers
from bench.plans import Measured
from bench.population import Population
from extender import codec
from policies.model.loading import load
from policies.values.plans import PlanAction
from policies.values.pods import Phase
from sources.kube.decoding.nodes import decode_node
from sources.kube.decoding.pods import decode_lean_pod, decode_pod
from sources.kube.plans import decode_plan, decode_slot, oversize
from sources.prometheus.series import matrix, vector
from sources.signals import queries

SIZES = Population(nodes=3, pods=7, workloads=2)


def listed(page: bytes) -> tuple[list[dict[str, Any]], str]:
    body = orjson.loads(page)
    return body["items"], body["metadata"]["continue"]


def test_pages_hold_every_object_once() -> None:
    world = kube.World(SIZES, rate=1.0)

    first, token = listed(kube.page(world.running, SIZES.pods, start=0, size=5))
    rest, end = listed(kube.page(world.running, SIZES.pods, start=int(token), size=5))

    assert len({decode_lean_pod(raw).uid for raw in [*first, *rest]}) == SIZES.pods
    assert end == ""


def test_of_five_events_a_pod_is_made_bound_and_ready_and_another_goes() -> None:
    world = kube.World(SIZES, rate=1.0)

    events = [world.pod_event(number) for number in range(5, 10)]

    pods = [decode_lean_pod(event["object"]) for event in events]
    assert [event["type"] for event in events] == ["ADDED", "MODIFIED", "MODIFIED", "MODIFIED", "DELETED"]
    assert {pod.uid for pod in pods[:3]} == {population.uid(SIZES.pods + 1)}
    assert [pod.phase for pod in pods[:3]] == [Phase.PENDING, Phase.PENDING, Phase.RUNNING]
    assert [pod.node is None for pod in pods[:3]] == [True, False, False]
    assert {pod.uid for pod in pods[3:]} == {population.uid(1)}
    assert pods[3].terminating


def test_events_carry_the_version_that_a_watch_goes_on_from() -> None:
    world = kube.World(SIZES, rate=1.0)

    event = orjson.loads(next(kube.events(world.pod_event, first=4, rate=1000.0)))

    assert event["object"]["metadata"]["resourceVersion"] == "5"


def test_nodes_and_standing_pods_are_read_whole() -> None:
    pod = crowding.standing_pod(4, SIZES, owner_uid="rs", now=0.0)
    pod["metadata"] |= {"uid": "u", "creationTimestamp": population.stamp(0.0)}

    assert decode_node(population.node(1)).ready
    read = decode_pod(pod)
    assert (read.node, read.owner and read.owner.uid) == (population.node_name(1), "rs")


def test_webhook_bodies_are_read_without_loss() -> None:
    (body,) = webhooks.for_nodes(SIZES, names=3, count=1, seed=1)
    (offer,) = webhooks.for_preemption(SIZES, webhooks.Offer(candidates=2, victims=2), count=1, seed=1)

    request = codec.read_nodes_request(orjson.dumps(body))
    offered = codec.read_preempt_request(orjson.dumps(offer))

    assert request.pod is not None
    assert sorted(request.names) == [population.node_name(number) for number in range(3)]
    assert [len(victims.uids) for victims in offered.nodes.values()] == [2, 2]


@pytest.fixture
def answers() -> Answers:
    text = plans.policy("http://127.0.0.1:1")
    measured = Measured(nodes=[{"instance": "10.0.0.1:9100"}], workloads=[{"workload": "web"}], pods=[{"pod": "web-0"}])
    return Answers(plans.plan(text, measured, plans.ordinary, seed=1))


def test_every_query_of_the_policy_has_its_series(answers: Answers) -> None:
    policy = load(plans.policy("http://127.0.0.1:1"), file="bench").policy
    series = {
        name: vector(orjson.loads(answers.vector(query, 60.0))["data"]["result"])
        for name, query in queries.all_queries(policy).items()
    }

    assert {name: len(found) for name, found in series.items()} == dict.fromkeys(series, 1)
    assert series["cpu.node"][0].labels == {"instance": "10.0.0.1:9100"}
    assert series["cpu.workload"][0].labels == {"workload": "web"}
    assert series["cpu.pod_age"][0].labels == {"pod": "web-0"}
    assert 0.1 <= series["cpu.node"][0].values[0] <= 0.97


def test_a_range_gives_a_sample_at_each_time(answers: Answers) -> None:
    query = load(plans.policy("http://127.0.0.1:1"), file="bench").policy.signals.resources["cpu"].node or ""

    (found,) = matrix(orjson.loads(answers.matrix(query, [30.0, 45.0]))["data"]["result"])

    assert [*found.times] == [30.0, 45.0]
    assert found.values[0] == found.values[1]


def test_an_unknown_query_gives_no_series(answers: Answers) -> None:
    assert vector(orjson.loads(answers.vector("up", 1.0))["data"]["result"]) == []


def test_a_plan_is_served_with_a_slot_that_is_renewed() -> None:
    sizes = Population(nodes=5000, pods=150_000, workloads=5000)
    world = kube.World(sizes, rate=1.0, active=planned.active(sizes))

    (raw,) = world.plans("placementplans")
    plan, slots = decode_plan(raw), [decode_slot(world.renewal(number)["object"]) for number in (7, 8)]

    assert len(plan.entries) == planned.ENTRIES == 200
    assert [slot.renewal for slot in slots] == [7, 8]
    assert {slot.version for slot in slots} == {plan.version}
    assert not plan.phase.ended
    assert oversize(plan, "bayplan-system") is None
    assert kube.World(sizes, rate=1.0).plans("planslots") == []


def test_what_a_plan_moves_runs_where_it_says() -> None:
    sizes = Population(nodes=5000, pods=150_000, workloads=5000)
    plan = decode_plan(planned.active(sizes)["placementplans"])
    entry = next(entry for entry in plan.entries if entry.action is PlanAction.MOVE)
    number = next(at for at in range(sizes.pods) if population.uid(at) == entry.uid)

    pod = decode_lean_pod(population.running_pod(number, sizes, created=0.0))

    assert (str(pod), pod.node) == (str(entry), entry.source)
    assert pod.owner is not None
    assert entry.controller is not None
    assert (pod.owner.kind, pod.owner.name) == (entry.controller.kind, entry.controller.name)
    assert pod.requests["cpu"] == entry.requests["cpu"]
