"""What went wrong for users of other deschedulers, as far as rules and formulas decide it; named after the cases.

FC-055 asks for a choice of percentiles: there is none, see the known limitations in docs/design/buoyancy.md. A policy
has it where the operator's query takes a quantile over time.
"""

from collections.abc import Sequence

import pytest

from policies.model.signals import ResourceSignal, Signals
from policies.rules import buoyancy, pod_use, soft_slo
from policies.rules.world import observe
from policies.values.candidates import Proposal
from policies.values.signals import ResourceReadings
from tests.builders import make_cluster, make_node, make_pod
from tests.policies.buoyancy.histories import NOW, STEP, make_grid, make_history
from tests.policies.rules.worlds import Given, make_policy, make_record, make_slo, names, rails, steady, victims

POD = make_pod("web-0", cpu=1000)
USE = {"cpu": {"web-0": 1.0}}


def over_time(given: Given, series: Sequence[float], *, others: float = 0.3, span: int = 60) -> list[list[Proposal]]:
    """Return what a loop proposes at each step, with R.cpu of n1 following a series, and n2 idle."""
    answers = []
    for end in range(1, len(series) + 1):
        seen = list(series[max(0, end - span) : end])
        scores = {
            "cpu": {"n1": seen, "n2": [0.2] * len(seen)},
            "memory": {"n1": [others] * len(seen), "n2": [0.2] * len(seen)},
        }
        known = {name: scores[name] for name in given.policy.signals.resources}
        once = Given(policy=given.policy, scores=known, pods=given.pods, use=given.use, records=given.records)
        answers.append([one for one in once.proposals() if one.refusal is None])
    return answers


def test_fc_009_thresholds_that_flip_every_minute_move_nobody() -> None:
    minutes = [score for _ in range(15) for score in [*[3.85 / 4] * 4, *[4.10 / 4] * 4]]
    given = Given(pods=[POD], use=USE, policy=make_policy("cpu"))

    assert not any(over_time(given, minutes))


def test_fc_011_single_peaks_move_nobody() -> None:
    peaks = [*[0.2] * 19, 1.5] * 4
    given = Given(pods=[POD], use=USE, policy=make_policy("cpu", "memory", signal={"pod_per": "allocatable"}))

    assert not any(over_time(given, peaks))


def test_fc_011_five_minutes_over_capacity_move_one_and_then_the_node_rests() -> None:
    lasting = [*[0.2] * 20, *[1.2] * 20]
    policy = make_policy("cpu", "memory", signal={"pod_per": "allocatable"})
    given = Given(pods=[POD], use=USE, policy=policy)

    proposed = [bool(answer) for answer in over_time(given, lasting)]
    first = proposed.index(True)
    evicted = make_record("web-0", ago=0.0, evidence={"pod.cpu": 0.25})
    afterwards = Given(pods=[POD], use=USE, policy=policy, records=[evicted])

    assert first == 20 + 12
    assert all(proposed[first:])
    assert not any(over_time(afterwards, lasting[: first + 1])[-1:][0])


def test_fc_047_a_momentary_value_moves_nobody() -> None:
    policy = make_policy("cpu", slos=[make_slo()])
    for at in range(1, 30):
        peak, dip = steady(0.5, 30), steady(0.3, 30)
        peak[-at], dip[-at] = 1.4, -0.8
        given = Given(
            policy=policy, pods=[POD], use=USE, scores={"cpu": {"n1": peak}}, slack={"p99": {"default/web-0": dip}}
        )

        assert victims(given.proposals()) == []


def test_fc_047_a_window_of_one_sample_is_a_hard_limit_only_if_asked_for() -> None:
    policy = make_policy("cpu", slos=[make_slo(window=0.0)], consecutive=1)
    given = Given(
        policy=policy,
        pods=[POD],
        scores={"cpu": {"n1": steady(0.8)}},
        slack={"p99": {"default/web-0": [*steady(0.3, 39), -0.8]}},
    )

    assert victims(given.proposals()) == [["web-0"]]


@pytest.mark.parametrize(("dark", "handled"), [(1, True), (6, False)], ids=["n7 alone", "six nodes"])
def test_fc_048_nodes_without_samples(dark: int, handled: bool) -> None:  # noqa: FBT001  # a table's column
    nodes = [make_node(f"n{number}") for number in range(1, 11)]
    series: dict[str, Sequence[float | None]] = {node.name: steady(0.2) for node in nodes}
    series["n1"] = steady(1.15)
    for node in nodes[-dark:]:
        series[node.name] = [None] * 40
    given = Given(policy=make_policy("cpu"), pods=[POD], use=USE, nodes=nodes, scores={"cpu": series})

    assert victims(given.proposals()) == ([["web-0"]] if handled else [])
    assert rails(given.proposals()) == ([] if handled else ["coverage"])


def test_fc_048_an_unknown_node_is_no_source() -> None:
    given = Given(pods=[POD], use=USE, scores={"cpu": {"n1": [None] * 40, "n2": steady(1.2)}})

    assert [proposal.node for proposal in given.proposals()] == ["n2"]


def test_fc_051_pressure_from_a_pods_own_limit_moves_nobody() -> None:
    psi = ResourceSignal(
        node="q", pressure="q", pod="q", pod_per="allocatable", age="q", pod_age="q", gate=0.7, additive=True
    )
    policy = make_policy("cpu").model_copy(update={"signals": Signals(resources={"cpu": psi})})
    cluster = make_cluster([make_node("n1")], [make_pod("capped-0")])
    readings = ResourceReadings(node=make_grid({"n1": steady(0.2)}), pressure=make_grid({"n1": steady(0.6)}))

    world = observe(cluster, make_history({"cpu": readings}), records=(), policy=policy)

    assert world.contention.headroom_of("n1") == pytest.approx(0.8)
    assert pod_use.wanted(world) == frozenset()
    assert buoyancy.propose(world) + soft_slo.propose(world) == ()


def test_fc_052_after_an_eviction_pressure_is_looked_at_for_a_full_window_first() -> None:
    policy = make_policy(
        "psi", deschedule_below=0.5, filter_below=0.6, deschedule_after=0.0, signal={"additive": False}
    )
    pods = [make_pod(f"p{number}") for number in range(4)]

    def proposed(*, ago: float) -> list[list[str]]:
        record = make_record("gone", ago=ago, evidence={"grace": 0.0})
        given = Given(
            policy=policy,
            pods=pods,
            records=[record],
            scores={"psi": {"n1": steady(0.6)}},
            use={"psi": {pod.name: 0.5 for pod in pods}},
        )
        return victims(given.proposals())

    assert proposed(ago=policy.signals.resources["psi"].rate_window - STEP) == []
    assert proposed(ago=policy.signals.resources["psi"].rate_window) == [["p0", "p1", "p2", "p3"]]


def test_fc_052_at_most_one_proposal_a_node() -> None:
    pods = [make_pod(f"p{number}") for number in range(4)]
    given = Given(pods=pods, scores={"cpu": {"n1": steady(1.2)}}, use={"cpu": {pod.name: 0.5 for pod in pods}})

    assert [names(proposal) for proposal in given.proposals()] == [["p0", "p1", "p2", "p3"]]


def test_cases_share_one_clock() -> None:
    assert make_record(ago=0.0).at == NOW
