"""Which nodes count, and which dimension decided (cases 063 to 066)."""

from policies.values.pods import Phase
from tests.builders import make_node
from tests.policies.field_cases.cases import Case, run
from tests.policies.situations import (
    chosen,
    refusals,
)


def test_fc_063_cordoned_node_is_no_free_node() -> None:
    demand: dict[str, dict[str, float]] = {"n1": {"web-0": 1.0, "ds": 3.6}, "n2": {}, "n3": {"full-0": 0.5}}
    full = {"full-0": {"cpu": 4000}}

    shut = run(Case(demand, nodes=(make_node("n2", cordoned=True),), pods=full))
    opened = run(Case(demand, pods=full))

    assert chosen(shut) == []
    assert refusals(shut)["web-0"].startswith(
        "no-destination: 0 usable destinations of 3: 1 cordoned, 1 not enough cpu, 1 taint case/rest"
    )
    assert chosen(opened) == [("web-0", "n2")]


def test_fc_064_node_that_is_not_ready_is_neither_source_nor_destination() -> None:
    stuck = {"phase": Phase.PENDING, "ready": False}
    demand: dict[str, dict[str, float]] = {"n1": {"web-0": 1.0, "stuck-0": 0.9, "ds": 3.6}, "n2": {}}

    source = run(Case(demand, nodes=(make_node("n1", ready=False),), pods={"stuck-0": stuck}))
    destination = run(Case(demand, nodes=(make_node("n2", ready=False),), pods={"stuck-0": stuck}))

    assert refusals(source)["web-0"] == "source-node: node n1 is not Ready"
    assert "1 not Ready" in refusals(destination)["web-0"]
    assert refusals(destination)["stuck-0"] == "pending: phase Pending, only Running pods are moved"


def test_fc_066_refusal_names_the_dimension_that_decided() -> None:
    pods = {f"many-{at}": {"cpu": 1} for at in range(10)}
    demand: dict[str, dict[str, float]] = {"n1": {"web-0": 1.0, "ds": 3.6}, "n2": dict.fromkeys(pods, 0.01)}

    outcomes = run(Case(demand, nodes=(make_node("n2", pods=10),), pods=pods))

    assert "1 no free pod slot" in refusals(outcomes)["web-0"]
