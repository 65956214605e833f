"""Trying plans on a snapshot: at the policy's price, and at the usual ones."""

import threading
from dataclasses import dataclass, field

from descheduler.optimiser import concluding
from descheduler.optimiser.concluding import Findings
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.solution import Options, Proof, Solution, Stop
from descheduler.planning.trying import Bench, Point, point
from policies.model.policy import Policy
from simulator.clock import ManualClock
from sources.snapshots.snapshot import Snapshot
from tests.builders import make_cluster, make_node, make_pod
from tests.descheduler.planning.problems.paper import make_policy, paper_cluster


@dataclass
class Script:
    """A solver that gives the paper's answer, and notes what it was asked for."""

    prices: list[int | None] = field(default_factory=list)
    name: str = "script"

    def solve(self, problem: Problem, options: Options, stop: Stop) -> Solution:  # noqa: ARG002  # the protocol's
        """Move pod3 to n1 and place pod4 on n2, unless no move may be paid for."""
        self.prices.append(options.price)
        answer = (0, 1, 1, None) if options.price == 3 else (0, 1, 0, 1)
        return concluding.conclude(problem, answer, options, Findings(solver=self.name, proven=True))


def bench(solver: Script, policy: Policy | None = None, snapshot: Snapshot | None = None) -> Bench:
    return Bench(
        snapshot=snapshot or Snapshot(cluster=paper_cluster()),
        policy=policy or make_policy(),
        own_namespace="bayplan-system",
        solver=solver,
        clock=ManualClock(),
    )


def test_an_attempt_has_the_policys_price() -> None:
    solver = Script()

    computed = bench(solver, make_policy(price=5)).attempt(threading.Event())

    assert solver.prices == [5]
    assert computed.plan is not None
    assert [entry.target for entry in computed.plan.entries] == ["n1", "n2"]
    assert computed.plan.observing


def test_the_curve_asks_for_the_usual_prices_and_not_twice_for_one() -> None:
    solver = Script()
    tried = bench(solver, make_policy(price=6))
    first = tried.attempt(threading.Event())

    points = tuple(tried.curve(first, threading.Event()))

    assert solver.prices == [6, 3, 12, None]
    assert [(one.price, one.placed, one.moved, one.disruptions) for one in points] == [
        (3, 0, 0, 0),
        (6, 1, 1, 1),
        (12, 1, 1, 1),
        ("any", 1, 1, 1),
    ]


def test_the_curve_ends_when_it_is_told_to() -> None:
    solver, stop = Script(), threading.Event()
    tried = bench(solver)
    first = tried.attempt(stop)
    stop.set()

    assert tuple(tried.curve(first, stop)) == ()


def test_nothing_pending_is_a_point_of_nothing() -> None:
    snapshot = Snapshot(cluster=make_cluster([make_node()], [make_pod()]))

    computed = bench(Script(), snapshot=snapshot).attempt(threading.Event())

    assert point(computed, "any") == Point(price="any", proof=Proof.NOTHING_BETTER)
