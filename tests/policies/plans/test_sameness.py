"""Equal states have equal hashes whatever else changes, other states others; solved ones are solved no more."""

import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.plans.sameness import Circumstances, SolvedStates, state_hash
from policies.values.clusters import Cluster
from policies.values.pdbs import Pdb
from policies.values.pods import Constraints, Phase, PodTerm
from policies.values.selectors import LabelSelector
from policies.values.volumes import Attachment, Claim, CsiDriver, CsiNode, VolumeAttachment
from tests.builders import NOW, make_cluster, make_node, make_pod
from tests.policies.plans.plan_builders import the_paper, with_node, with_pods
from tests.strategies import clusters

NOTHING = Circumstances()
WEB = the_paper().pods["uid-web-0"]
PDB = Pdb(namespace="default", name="web", selector=LabelSelector(()), disruptions_allowed=1)


def of(cluster: Cluster, circumstances: Circumstances = NOTHING) -> str:
    """Return the hash of a state."""
    return state_hash(cluster, circumstances)


SAME: dict[str, Callable[[Cluster], Cluster]] = {
    "time": lambda cluster: replace(cluster, now=NOW + 60),
    "annotations": lambda cluster: with_pods(cluster, replace(WEB, annotations={"seen": "now"})),
    "ended pods": lambda cluster: with_pods(cluster, make_pod("done", workload="done", phase=Phase.SUCCEEDED)),
    "an unschedulable condition": lambda cluster: with_pods(
        cluster, replace(cluster.pods["uid-big-0"], unschedulable_since=NOW)
    ),
}
OTHER: dict[str, Callable[[Cluster], Cluster]] = {
    "a pod more": lambda cluster: with_pods(cluster, make_pod("new", node=None)),
    "a pod less": lambda cluster: with_pods(cluster, without=("big-0",)),
    "a bind": lambda cluster: with_pods(cluster, replace(cluster.pods["uid-big-0"], node="n1")),
    "a nomination": lambda cluster: with_pods(cluster, replace(cluster.pods["uid-big-0"], nominated_node="n1")),
    "a termination": lambda cluster: with_pods(cluster, replace(WEB, terminating=True)),
    "a resize": lambda cluster: with_pods(cluster, make_pod("web-0", node="n3", cpu=401)),
    "readiness": lambda cluster: with_pods(cluster, replace(WEB, ready=False)),
    "a constraint": lambda cluster: with_pods(cluster, replace(WEB, constraints=Constraints(node_terms=()))),
    "a volume": lambda cluster: with_pods(cluster, replace(WEB, claims=("data",))),
    "a disk": lambda cluster: with_pods(cluster, replace(WEB, disks=(Attachment("driver", "disk"),))),
    "an attach limit": lambda cluster: replace(cluster, csi_nodes={"n1": CsiNode(name="n1", attachable={"d": 1})}),
    "a driver": lambda cluster: replace(cluster, csi_nodes={"n1": CsiNode(name="n1", drivers=frozenset({"d"}))}),
    "a driver's need": lambda cluster: replace(cluster, csi_drivers={"d": CsiDriver(name="d", needed=True)}),
    "a volume attached": lambda cluster: replace(
        cluster, volume_attachments={"va": VolumeAttachment(name="va", node="n1", driver="d", volume="v")}
    ),
    "its binding": lambda cluster: replace(cluster, claims={"a/b": Claim(namespace="a", name="b", volume="v")}),
    "a node that shrank": lambda cluster: with_node(cluster, make_node("n1", cpu=999)),
    "a cordon": lambda cluster: with_node(cluster, make_node("n1", cpu=1000, cordoned=True)),
    "a label of a node": lambda cluster: with_node(cluster, make_node("n1", cpu=1000, labels={"disk": "fast"})),
    "a node less": lambda cluster: replace(cluster, nodes={"n1": cluster.nodes["n1"]}),
    "a PDB": lambda cluster: replace(cluster, pdbs=(PDB,)),
}
AROUND: dict[str, Circumstances] = {
    "hot": Circumstances(hot=("n1",)),
    "fixed": Circumstances(fixed=("uid-web-0",)),
    "allowed": Circumstances(allowed={"PDB": 1}),
    "allowed less": Circumstances(allowed={"PDB": 0}),
    "policy": Circumstances(policy_hash="another"),
}


@pytest.mark.parametrize("what", SAME)
def test_what_no_plan_depends_on_changes_nothing(what: str) -> None:
    assert of(SAME[what](the_paper())) == of(the_paper())


def test_every_other_change_makes_another_state() -> None:
    hashes = {what: of(change(the_paper())) for what, change in OTHER.items()}
    hashes |= {what: of(the_paper(), circumstances) for what, circumstances in AROUND.items()}
    hashes["nothing"] = of(the_paper())
    hashes["less of the PDB"] = of(replace(the_paper(), pdbs=(replace(PDB, disruptions_allowed=0),)))

    assert len(set(hashes.values())) == len(hashes)


def test_circumstances_have_no_order() -> None:
    one = Circumstances(hot=("a", "b"), fixed={"c", "d"}, allowed={"x": 1, "y": 2})
    two = Circumstances(hot=("b", "a"), fixed=("d", "c"), allowed={"y": 2, "x": 1})

    assert of(the_paper(), one) == of(the_paper(), two)


def test_labels_and_namespaces_have_no_order() -> None:
    def cluster(names: list[str]) -> Cluster:
        term = PodTerm("zone", LabelSelector(()), frozenset(names))
        labels = {name: name for name in names}
        return make_cluster([make_node()], [make_pod(labels=labels, constraints=Constraints(anti_affinity=(term,)))])

    names = [f"namespace-{at}" for at in range(50)]

    assert of(cluster(names)) == of(cluster(names[::-1]))


@given(clusters(), st.integers(0, 99))
def test_a_state_is_the_same_in_any_order(cluster: Cluster, seed: int) -> None:
    pods, nodes = list(cluster.pods.items()), list(cluster.nodes.items())
    random.Random(seed).shuffle(pods)
    random.Random(seed).shuffle(nodes)

    assert of(replace(cluster, pods=dict(pods), nodes=dict(nodes))) == of(cluster)


def test_another_process_finds_the_same() -> None:
    code = (
        "from policies.plans.sameness import Circumstances, state_hash;"
        "from tests.policies.plans.plan_builders import the_paper;"
        "print(state_hash(the_paper(), Circumstances()))"
    )

    root = Path(__file__).parents[3]
    said = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)

    assert said.stdout.strip() == of(the_paper())


# ---------------------------------------------------------------------- solved states


def test_a_proven_state_is_not_solved_again() -> None:
    solved = SolvedStates().after("a", proven=True)

    assert not solved.due("a")
    assert solved.due("b")


def test_an_unproven_state_is_solved_three_times() -> None:
    solved, due = SolvedStates(), []
    for _ in range(4):
        due.append(solved.due("a"))
        solved = solved.after("a", proven=False)

    assert due == [True, True, True, False]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), max_size=40))
def test_each_state_is_due_until_it_is_proven_or_was_tried_three_times(runs: list[tuple[str, bool]]) -> None:
    solved = SolvedStates()
    for state, proven in runs:
        solved = solved.after(state, proven=proven)

    for state in "abcdef":
        proofs = [proven for other, proven in runs if other == state]
        assert solved.due(state) == (not any(proofs) and len(proofs) < 3)


def test_only_the_last_states_are_remembered() -> None:
    solved = SolvedStates().after("first", proven=True)
    for number in range(63):
        solved = solved.after(str(number), proven=True)
    assert not solved.due("first")

    solved = solved.after("one more", proven=True)

    assert solved.due("first")
    assert len(solved.tries) == 64
