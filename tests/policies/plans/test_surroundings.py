"""A plan's progress is the same on what surrounds it as on the whole cluster, whatever happens to whom."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.plans.converging import progress
from policies.plans.surroundings import Surroundings, alike
from policies.values.clusters import Cluster
from policies.values.plans import Plan
from policies.values.pods import Constraints, HostPort, Owner, Phase, Pod
from policies.values.workloads import WorkloadRef
from tests.builders import make_cluster, make_node, make_pod, make_resources, make_workload
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan

NODES: Final = ("n1", "n2", "n3", "n4", "n5")
APPS: Final = ("a", "b", "c", "d", "e")
PLACES: Final = st.sampled_from((*NODES, None))
CHANGES: Final = st.fixed_dictionaries(
    {},
    optional={
        "node": PLACES,
        "nominated_node": PLACES,
        "phase": st.sampled_from((Phase.RUNNING, Phase.SUCCEEDED)),
        "terminating": st.booleans(),
        "gated": st.booleans(),
        "priority": st.sampled_from((0, 5)),
        "requests": st.sampled_from((100, 400, 900)).map(lambda cpu: make_resources(cpu=cpu, pods=1)),
        "owner": st.sampled_from(
            (*(Owner("ReplicaSet", f"{app}-rs", app) for app in APPS), Owner("Job", "x", "x"), None)
        ),
    },
)
PODS: Final = st.dictionaries(st.integers(0, 14), st.tuples(st.sampled_from(APPS), CHANGES), max_size=12)


def cluster_of(drawn: Mapping[int, tuple[str, dict[str, Any]]], *, small: bool = True) -> Cluster:
    """Return a cluster with these pods and a workload for each app."""
    pods = [make_pod(f"pod-{at}", **({"workload": app} | changes)) for at, (app, changes) in drawn.items()]
    nodes = [make_node(name, cpu=1000 if small else 4000) for name in NODES]
    return make_cluster(nodes, pods, [make_workload(app, wanted=2) for app in APPS])


def narrowed(plan: Plan, cluster: Cluster) -> Cluster:
    """Return what of a cluster matters to a plan."""
    around = Surroundings(plan)
    for pod in cluster.pods.values():
        around.put(pod, cluster.workload_of.get(pod.uid))
    pods = around.pods
    return replace(
        cluster,
        pods=pods,
        nodes={name: node for name, node in cluster.nodes.items() if name in around.nodes},
        workloads={ref: workload for ref, workload in cluster.workloads.items() if ref in around.owners},
        workload_of={uid: ref for uid, ref in cluster.workload_of.items() if uid in pods},
    )


@st.composite
def situations(draw: st.DrawFn) -> tuple[Plan, Cluster, Cluster]:
    """A plan, the cluster that it was made on, and what has become of it since."""
    before = cluster_of(draw(PODS.filter(bool)))
    goals: dict[str, str | None] = {}
    for pod in draw(st.lists(st.sampled_from(sorted(before.pods.values(), key=str)), max_size=4, unique_by=str)):
        goals[pod.name] = draw(PLACES)
    bound = {pod.name for pod in before.pods.values() if pod.node is not None}
    move = {name: node for name, node in goals.items() if name in bound and node is not None}
    place = {name: node for name, node in goals.items() if name not in bound and node is not None}
    evict = [name for name, node in goals.items() if name in bound and node is None]
    plan = make_plan(before, move=move, place=place, evict=evict)
    since = cluster_of(draw(PODS), small=draw(st.booleans()))
    pods = {**before.pods, **since.pods} if draw(st.booleans()) else since.pods
    gone = draw(st.sets(st.sampled_from(NODES), max_size=1))
    now = make_cluster([node for node in since.nodes.values() if node.name not in gone], pods.values())
    wanted = draw(st.integers(0, 3))
    return (
        plan,
        before,
        replace(now, workloads={ref: replace(one, wanted=wanted) for ref, one in now.workloads.items()}),
    )


@given(situations(), st.booleans())
def test_progress_is_the_same(drawn: tuple[Plan, Cluster, Cluster], known: bool) -> None:  # noqa: FBT001  # drawn
    plan, before, now = drawn
    validated = before if known else None

    assert progress(plan, narrowed(plan, now), before=validated) == progress(plan, now, before=validated)


@given(situations(), st.randoms())
def test_kept_up_it_is_as_if_looked_at_anew(drawn: tuple[Plan, Cluster, Cluster], chance: Any) -> None:
    plan, before, now = drawn
    around = Surroundings(plan)
    for pod in before.pods.values():
        around.put(pod, before.workload_of.get(pod.uid))

    changed = list({**before.pods, **now.pods})
    chance.shuffle(changed)
    for uid in changed:
        later, seen = now.pods.get(uid), around.pods
        matters = around.drop(uid) if later is None else around.put(later, now.workload_of.get(uid))
        assert matters or around.pods == seen

    assert around.pods == narrowed(plan, now).pods


@given(situations(), CHANGES)
def test_change_between_alike_pods_changes_no_progress(
    drawn: tuple[Plan, Cluster, Cluster], changes: dict[str, Any]
) -> None:
    plan, before, now = drawn
    pods = {uid: replace(pod, ready=not pod.ready, labels={"other": "label"}) for uid, pod in now.pods.items()}
    for uid, pod in list(pods.items())[:1]:
        pods[uid] = replace(pod, **changes)

    if all(alike(now.pods[uid], pod) for uid, pod in pods.items()):
        assert progress(plan, replace(now, pods=pods), before=before) == progress(plan, now, before=before)


def intruded(cluster: Cluster, pod: Pod, **changes: Any) -> Cluster:
    """Return a cluster with one more pod."""
    owners = {**cluster.workload_of, **changes.pop("workload_of", {})}
    return replace(cluster, pods={**cluster.pods, pod.uid: pod}, workload_of=owners)


def bare_plan() -> tuple[Plan, Cluster]:
    """Return a plan that places a bare pod on n2, where it just fits."""
    bare = make_pod("solo", node=None, cpu=600, owner=None)
    cluster = make_cluster([make_node("n1", cpu=1000), make_node("n2", cpu=1000)], [bare])
    return make_plan(cluster, place={"solo": "n2"}), cluster


def the_papers() -> tuple[Plan, Cluster]:
    return the_papers_plan(), the_paper()


PORT: Final = Constraints(host_ports=(HostPort(80),))
WEB: Final = WorkloadRef("Deployment", "default", "web")
OTHER: Final = make_pod("other", node="n2", cpu=700, owner=None)


@pytest.mark.parametrize(
    ("made", "comer", "owners", "words"),
    [
        (the_papers, OTHER, {}, "default/other (priority 0"),
        (bare_plan, OTHER, {}, "default/other (priority 0"),
        (the_papers, replace(OTHER, node=None, nominated_node="n2"), {}, "is nominated there"),
        (
            the_papers,
            make_pod("new", node="n5", owner=Owner("ReplicaSet", "web-2", "u")),
            {"uid-new": WEB},
            "web is being rolled out",
        ),
        (the_papers, replace(make_pod("api-1", node="n2", workload="api", cpu=700)), {}, "was resized"),
    ],
)
def test_what_ends_a_plan_is_among_its_surroundings(
    made: Callable[[], tuple[Plan, Cluster]], comer: Pod, owners: Mapping[str, WorkloadRef], words: str
) -> None:
    plan, before = made()
    now = intruded(before, comer, workload_of=owners)

    found = progress(plan, narrowed(plan, now), before=before)

    assert found == progress(plan, now, before=before)
    assert words in (found.abort or "")
    assert not alike(before.pods.get(comer.uid), comer)


@pytest.mark.parametrize(
    "changes",
    [
        {"node": "n2"},
        {"nominated_node": "n2"},
        {"terminating": True},
        {"phase": Phase.FAILED},
        {"gated": True},
        {"owner": None},
        {"requests": make_resources(cpu=1)},
        {"constraints": PORT},
        {"priority": 1},
    ],
)
def test_each_thing_that_progress_looks_at_is_a_change(changes: dict[str, Any]) -> None:
    pod = make_pod()

    assert not alike(pod, replace(pod, **changes))


def test_bystanders_are_left_out() -> None:
    cluster = the_paper()
    crowd = [make_pod(f"by-{at}", node=f"m{at}", workload="by") for at in range(50)]
    full = make_cluster(
        [*cluster.nodes.values(), *(make_node(f"m{at}") for at in range(50))],
        [*cluster.pods.values(), *crowd],
        cluster.workloads.values(),
    )

    found = narrowed(the_papers_plan(), full)

    assert not {pod.uid for pod in crowd} & found.pods.keys()
    assert set(found.nodes) == {"n1", "n2", "n3"}
    assert WorkloadRef("Deployment", "default", "by") not in found.workloads


def test_near_is_who_stands_on_a_node_of_the_plan_or_is_to() -> None:
    around = Surroundings(the_papers_plan())

    assert around.is_near(make_pod(node="n1"))
    assert around.is_near(make_pod(node=None, nominated_node="n2"))
    assert not around.is_near(make_pod(node="n5"))


def test_who_comes_and_goes_is_no_change_to_nothing() -> None:
    pod: Pod = make_pod()

    assert not alike(None, pod)
    assert not alike(pod, None)
    assert alike(pod, replace(pod, ready=False))
