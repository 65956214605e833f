"""Plans on fresh state: what cannot stand in the end, and rails, PDBs and limits counted jointly."""

from dataclasses import replace

from policies.model.limits import Limit
from policies.values.clusters import Cluster
from policies.values.pdbs import Pdb
from policies.values.selectors import LabelSelector, Operator, Requirement
from policies.values.workloads import WorkloadRef
from tests.builders import NOW, make_node
from tests.policies.plans.plan_builders import make_plan, the_paper, the_papers_plan, with_node, with_pods
from tests.policies.plans.test_rails import make_plan_policy
from tests.policies.plans.validity import BOTH, said, two_moves
from tests.policies.situations import make_record


def test_what_cannot_stand_in_the_end_is_refused() -> None:
    small = with_node(the_paper(), make_node("n2", cpu=600))

    assert said(the_papers_plan(), small) == "plan-room: n2 would lack 400 of cpu with default/big-0 on it"


def test_two_moves_are_valid_together() -> None:
    assert said(make_plan(two_moves(), move=BOTH), two_moves()) is None


def test_a_rail_protects_pods_from_plans_too() -> None:
    vetoed = with_pods(two_moves(), replace(two_moves().pods["uid-api-0"], annotations={"bayplan.dev/no-evict": ""}))

    assert said(make_plan(vetoed, move=BOTH), vetoed) == "veto: annotation bayplan.dev/no-evict='' on the pod"


def test_pdbs_are_counted_jointly() -> None:
    def pdb(count: int | None) -> Cluster:
        selector = LabelSelector((Requirement("team", Operator.IN, ("a",)),))
        budget = Pdb(namespace="default", name="team", selector=selector, disruptions_allowed=count)
        return replace(two_moves(), pdbs=(budget,))

    plan = make_plan(two_moves(), move=BOTH)
    assert said(plan, pdb(2)) is None
    assert said(plan, pdb(1)) == "pdb: PDB default/team allows 1, 1 used by this cycle"
    assert said(plan, pdb(None)) == ("pdb: what PDB default/team allows is not known, its status is missing or lags")


def test_limits_are_counted_jointly_with_the_ledger() -> None:
    policy = make_plan_policy(eviction={"limits": (Limit(scope="node", max=2, window=600.0),)})
    plan, record = make_plan(two_moves(), move=BOTH), make_record("other-0", workload="other", ago=60)

    assert said(plan, two_moves(), policy) is None
    assert said(plan, two_moves(), policy, records=(record,)) == (
        "limits: node limit of 2 per 600 s in plan.eviction.limits: 2 used, frees in 540 s"
    )


def test_one_pod_of_a_workload_goes_in_a_plan() -> None:
    plan = make_plan(two_moves(), move={"web-0": "n2", "web-1": "n3"})

    assert said(plan, two_moves()) == ("in-flight: default/web-0 of Deployment default/web was chosen in this cycle")


def test_what_a_plan_failed_with_lately_is_refused() -> None:
    pair = (WorkloadRef("Deployment", "default", "web"), "n2")

    reason = said(the_papers_plan(), the_paper(), resting={pair: NOW + 60})

    assert reason == "failed-plan: a plan that moved Deployment default/web off n2 failed: rests for another 60 s"
