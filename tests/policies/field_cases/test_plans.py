"""What plans owe to users of other deschedulers (cases 004, 018, 019, 026, 028, 030, 032, 033 and 080)."""

from dataclasses import replace

from policies.model.limits import Limit
from policies.plans.closing import outcome, resting
from policies.plans.converging import deadline, progress
from policies.plans.rails import first_plan_refusal, under_plan
from policies.plans.validating import invalid
from policies.values.clusters import Cluster
from policies.values.pdbs import Pdb
from policies.values.plans import Plan, PlanCondition, PlanPhase
from policies.values.pods import Constraints, SpreadConstraint
from policies.values.records import Landing
from policies.values.selectors import LabelSelector, NodeSelectorTerm, Operator, Requirement
from tests.builders import NOW, make_cluster, make_node, make_pod
from tests.policies.feasibility.places import labelled
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan, with_pods
from tests.policies.plans.test_rails import make_plan_policy
from tests.policies.situations import make_candidate, make_record, make_situation

ZONE = "topology.kubernetes.io/zone"


def said(plan: Plan, cluster: Cluster, **eviction: object) -> str | None:
    """Return in words why a plan is not valid."""
    refusal = invalid(plan, make_situation(cluster, policy=make_plan_policy(eviction=dict(eviction))))
    return None if refusal is None else str(refusal)


def test_fc_004_the_last_room_at_the_destination_taken_by_another_pod_ends_the_plan() -> None:
    evicted = with_pods(the_paper(), without=("web-2",))
    taken = with_pods(evicted, make_pod("other-0", node="n1", workload="other", cpu=500))

    abort = progress(the_papers_plan(), taken, before=the_paper()).abort

    assert abort == "default/other-0 (priority 0, scheduler bayplan-scheduler) took cpu that the plan reserves on n1"


def test_fc_018_the_moves_of_a_plan_are_deducted_from_each_other() -> None:
    pods = [make_pod(f"app{at}-0", workload=f"app{at}", cpu=500) for at in range(3)]
    twins = [make_pod(f"app{at}-1", workload=f"app{at}", node="n2", cpu=500) for at in range(3)]
    full = make_pod("rest-0", workload="rest", node="n3", cpu=3000)
    cluster = make_cluster([make_node("n1"), make_node("n2"), make_node("n3")], [*pods, *twins, full])

    assert said(make_plan(cluster, move={"app0-0": "n3", "app1-0": "n3"}), cluster) is None
    assert said(make_plan(cluster, move={pod.name: "n3" for pod in pods}), cluster) == (
        "plan-room: n3 would lack 500 of cpu with default/app0-0 on it"
    )


def test_fc_019_spread_is_counted_over_the_domains_that_the_pod_may_use() -> None:
    not_c = (NodeSelectorTerm((Requirement(ZONE, Operator.NOT_IN, ("c",)),)),)
    wishes = Constraints(node_terms=not_c, spread=(SpreadConstraint(ZONE, 1, labelled(app="web")),))
    nodes = [make_node(f"n{zone}{at}", labels={ZONE: zone}) for zone in "abc" for at in range(3)]
    places = ("na0", "na1", "na2", "nb0", "nb1")
    pods = [make_pod(f"web-{at}", node=node, constraints=wishes) for at, node in enumerate(places)]
    cluster = make_cluster(nodes, pods)

    assert said(make_plan(cluster, move={"web-0": "nb2"}), cluster) is None
    assert said(make_plan(cluster, move={"web-0": "nc0"}), cluster) == (
        "node-affinity: nc0: node selector or affinity, for default/web-0"
    )
    assert said(make_plan(cluster, move={"web-3": "na0"}), cluster) == (
        "topology-spread: na0: topology spread, for default/web-3"
    )


def test_fc_026_a_pod_under_two_budgets_is_in_no_plan() -> None:
    two = tuple(
        Pdb(namespace="default", name=name, selector=LabelSelector(), disruptions_allowed=9) for name in ("all", "web")
    )
    cluster = replace(the_paper(), pdbs=two)

    assert said(the_papers_plan(), cluster) == ("pdb: several PDBs: default/all, default/web select default/web-2")


def test_fc_028_one_ready_replica_must_stay_and_a_single_one_is_never_taken() -> None:
    pods = [
        make_pod("solo-0", workload="solo"),
        make_pod("duo-0", workload="duo"),
        make_pod("duo-1", workload="duo", node="n2"),
        make_pod("half-0", workload="half"),
        make_pod("half-1", workload="half", node="n2", ready=False, created_at=NOW - 86400),
    ]
    cluster = make_cluster([make_node("n1"), make_node("n2"), make_node("n3")], pods)

    assert said(make_plan(cluster, move={"duo-0": "n3"}), cluster) is None
    for name in ("solo", "half"):
        assert said(make_plan(cluster, move={f"{name}-0": "n3"}), cluster) == (
            f"ready-floor: 0 Ready replicas of Deployment default/{name} would be left, "
            "plan.eviction.minReadyReplicas is 1"
        )


def test_fc_030_all_limits_hold_at_once_and_a_limit_of_zero_means_none() -> None:
    pods = [
        make_pod(f"app{at}-{twin}", workload=f"app{at}", node="n1" if twin == 0 else "n2")
        for at in range(3)
        for twin in range(2)
    ]
    cluster = make_cluster([make_node("n1"), make_node("n2"), make_node("n3")], pods)
    plan = make_plan(cluster, move={f"app{at}-0": "n3" for at in range(3)})

    def limited(scope: str, most: int) -> str | None:
        return said(plan, cluster, limits=(Limit.model_validate({"scope": scope, "max": most, "window": 600.0}),))

    assert limited("node", 3) is None
    within = "per 600 s in plan.eviction.limits"
    assert str(limited("node", 2)).startswith(f"limits: node limit of 2 {within}: 2 used")
    assert str(limited("namespace", 1)).startswith(f"limits: namespace limit of 1 {within}: 1 used")
    assert limited("cluster", 0) == f"limits: cluster limit of 0 {within}: none is allowed"


def test_fc_032_a_plan_takes_nobody_while_the_last_replacement_is_not_settled() -> None:
    cluster = the_paper()
    moved = make_record(
        "web-9", node="n3", ago=60, landing=Landing.MOVED, replacement="web-0", landed_on="n3", rule="plan"
    )
    young = with_pods(cluster, replace(cluster.pods["uid-web-0"], ready_since=NOW - 10))
    situation = under_plan(make_situation(young, policy=make_plan_policy(), records=(moved,)))

    refusal = first_plan_refusal(make_candidate(cluster.pods["uid-web-2"]), situation)

    assert str(refusal) == ("in-flight: default/web-9 of Deployment default/web was evicted 60 s ago, not settled")


def test_fc_033_a_plan_that_never_finishes_runs_out_of_time_and_leaves_only_a_rest() -> None:
    plan = the_papers_plan()
    hanging = with_pods(the_paper(), replace(the_paper().pods["uid-web-2"], terminating=True))

    assert not progress(plan, hanging, before=the_paper()).done
    assert deadline(plan, {"uid-web-2": 100.0}, since=101.0, realise_within=30.0) == 160.0
    ended = replace(
        plan,
        phase=PlanPhase.TIMED_OUT,
        finished_at=NOW,
        conditions=(PlanCondition(kind="Validated", met=True),),
    )
    pair = (the_paper().workload_of["uid-web-2"], "n2")
    assert resting([ended], make_plan_policy(), now=NOW) == {pair: NOW + 600}
    assert resting([ended], make_plan_policy(), now=NOW + 600) == {}


def test_fc_080_a_new_leader_finishes_nobody_elses_plan() -> None:
    half_way = with_pods(the_paper(), without=("web-2",))

    phase, reason = outcome(the_papers_plan(phase=PlanPhase.EVICTING), half_way)

    assert phase is PlanPhase.ABORTED
    assert reason == (
        "its leader was gone in Evicting; pods of ReplicaSet default/web-rs on n1: 0 of 1; "
        "pods of ReplicaSet default/big-rs on n2: 0 of 1"
    )
