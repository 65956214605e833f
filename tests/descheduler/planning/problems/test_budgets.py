"""Rows over disruptions: PDBs, limits less what the ledger used, one pod a workload, the plan's own maximum."""

from typing import Any

from descheduler.optimiser.problem import Budget
from descheduler.planning.problems.building import Built, build
from policies.model.limits import Limit
from policies.values.pdbs import Pdb
from policies.values.pods import Pod
from policies.values.records import EvictionRecord, Landing
from policies.values.selectors import LabelSelector
from policies.values.workloads import WorkloadRef
from tests.builders import make_cluster, make_node, make_pod
from tests.descheduler.builders import landed, make_record
from tests.descheduler.planning.problems.paper import make_policy, make_situation

NODES = [make_node("n1"), make_node("n2")]
EVERYBODY = LabelSelector()
NO_LIMITS: dict[str, Any] = {"limits": ()}


def replicas(count: int, workload: str = "web", **changes: Any) -> list[Pod]:
    return [make_pod(f"{workload}-{at}", workload=workload, **changes) for at in range(count)]


def built(*pods: Pod, pdbs: tuple[Pdb, ...] = (), limits: tuple[Limit, ...] = (), **changes: Any) -> Built:
    policy = make_policy(eviction={"limits": limits})
    return build(make_situation(make_cluster(NODES, pods, pdbs=pdbs), policy, **changes))


def named(found: Built, start: str) -> list[Budget]:
    return [budget for budget in found.problem.budgets if budget.name.startswith(start)]


def elsewhere(number: int, **changes: Any) -> EvictionRecord:
    """Return a record of an eviction that nobody waits for any more."""
    defaults: dict[str, Any] = {"workload": None, "verification": landed(Landing.SCALED_DOWN)}
    return make_record(f"uid-{number}", pod_uid=f"uid-{number}", **(defaults | changes))


def test_a_pdb_is_a_row_over_the_pods_that_draw_on_it() -> None:
    pdb = Pdb(namespace="default", name="all", selector=EVERYBODY, disruptions_allowed=1, always_allows_unhealthy=True)
    pods = [*replicas(1), *replicas(1, "api"), make_pod("db-0", workload="db", ready=False, ready_since=None)]

    found = built(*pods, pdbs=(pdb,))

    (row,) = named(found, "PDB default/all")
    assert (row.allowed, {found.pods[at].name for at in row.members}) == (1, {"web-0", "api-0"})


def test_a_pdb_that_allows_as_many_as_it_has_is_no_row() -> None:
    pdb = Pdb(namespace="default", name="all", selector=EVERYBODY, disruptions_allowed=2)

    assert named(built(*replicas(1), *replicas(1, "api"), pdbs=(pdb,)), "PDB") == []


def test_a_pod_under_two_pdbs_or_an_unknown_one_is_fixed() -> None:
    one, two = (
        Pdb(namespace="default", name=name, selector=EVERYBODY, disruptions_allowed=5) for name in ("one", "two")
    )
    unknown = Pdb(namespace="default", name="one", selector=EVERYBODY, disruptions_allowed=None)

    assert built(*replicas(1), pdbs=(one, two)).fixed["uid-web-0"].message.startswith("several PDBs")
    assert "not known" in built(*replicas(1), pdbs=(unknown,)).fixed["uid-web-0"].message


def test_a_plan_takes_one_pod_of_a_workload() -> None:
    found = built(*replicas(3), *replicas(1, "api"))

    (row,) = named(found, "one pod of")
    assert (row.name, row.allowed, len(row.members)) == ("one pod of Deployment default/web", 1, 3)


def test_the_ready_floor_holds_everybody_of_a_workload_that_would_fall_below_it() -> None:
    policy = make_policy(ready_floor=1)

    alone = build(make_situation(make_cluster(NODES, replicas(1)), policy))
    two = build(make_situation(make_cluster(NODES, replicas(2)), policy))

    assert alone.fixed["uid-web-0"].rail == "ready-floor"
    assert len(two.pods) == 2


def test_a_limit_leaves_what_the_ledger_has_not_used() -> None:
    pods = [make_pod(f"w{at}", workload=f"w{at}") for at in range(4)]
    limits = (Limit(scope="node", max=3, window=600.0), Limit(scope="namespace", max=3, window=600.0))

    found = built(*pods, limits=limits, records=(elsewhere(1), elsewhere(2, node="n2"), elsewhere(3, at=0.0)))

    assert [(row.name, row.allowed) for row in found.problem.budgets] == [
        ("node limit of n1", 2),
        ("namespace limit of default", 1),
    ]


def test_a_workload_limit_is_no_row_beside_one_pod_a_plan() -> None:
    found = built(*replicas(4), limits=(Limit(scope="workload", max=3, window=600.0),))

    assert [(row.name, row.allowed) for row in found.problem.budgets] == [("one pod of Deployment default/web", 1)]


def test_a_budget_that_allows_as_much_as_the_whole_plan_is_no_row() -> None:
    pods = [make_pod(f"w{at}", workload=f"w{at}") for at in range(4)]
    policy = make_policy(eviction={"limits": (Limit(scope="node", max=2, window=600.0),)}, max_disruptions=2)

    assert build(make_situation(make_cluster(NODES, pods), policy)).problem.budgets == ()


def test_the_clusters_limit_and_the_ledgers_room_bound_the_whole_plan() -> None:
    limits = (Limit(scope="cluster", max=5, window=600.0),)
    records = (elsewhere(1), elsewhere(2))
    few = make_policy(eviction={"limits": limits}, max_disruptions=2)

    assert built(*replicas(1)).problem.max_disruptions == 20
    assert built(*replicas(1), limits=limits, records=records).problem.max_disruptions == 3
    assert build(make_situation(make_cluster(NODES, replicas(1)), few)).problem.max_disruptions == 2


def test_a_full_ledger_and_a_used_up_cluster_limit_allow_no_disruption() -> None:
    limits = (Limit(scope="cluster", max=1, window=600.0),)
    found = built(*replicas(1), limits=limits, records=(elsewhere(1), elsewhere(2)))

    assert found.problem.max_disruptions == 0
    assert found.pods == ()


def test_a_workload_limit_that_the_ledger_used_up_holds_all_its_pods() -> None:
    web = WorkloadRef("Deployment", "default", "web")
    limits = (Limit(scope="workload", max=1, window=3600.0),)
    record = elsewhere(1, workload=web, node="n3", at=1_800_000_000.0 - 1800)

    found = built(*replicas(3), limits=limits, records=(record,))

    assert {refusal.rail for refusal in found.fixed.values()} == {"limits"}
    assert len(found.fixed) == 3
