"""A situation as a placement problem, with the pods behind its items and what was left out; solves nothing.

Source: docs/design/optimiser.md, constraints of Kubernetes.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from descheduler.optimiser.problem import Item, Problem, Site
from descheduler.planning.problems import fates as fates_of
from descheduler.planning.problems.amounts import Amounts, requested
from descheduler.planning.problems.attractions import attractions
from descheduler.planning.problems.budgets import budgets, most_disruptions
from descheduler.planning.problems.eligibility import Eligibility, eligibility
from descheduler.planning.problems.exclusives import exclusives
from descheduler.planning.problems.layout import Layout
from descheduler.planning.problems.loads import accepting, carried
from descheduler.planning.problems.measured import NOTHING_MEASURED, Measured
from descheduler.planning.problems.separations import separations
from descheduler.planning.problems.slots import attaching
from descheduler.planning.problems.spreads import spreads
from policies.plans.quotas import kind_of
from policies.plans.rails import Pair
from policies.rails.situation import Situation
from policies.values.pods import Pod
from policies.values.refusals import Refusal

TOO_LARGE: Final = "too-large"
_NOT_READY: Final = -1e12  # seconds; below every age: what is not Ready leaves first


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A problem and what it was made of: `pods` by item, `nodes` by site, `priorities` by tier.

    `fixed` says of each bound pod that is no item why it stays, `left_out` of each pending one why no plan places it,
    both by UID.
    """

    situation: Situation
    problem: Problem
    pods: tuple[Pod, ...]
    nodes: tuple[str, ...]
    priorities: tuple[int, ...]
    fixed: Mapping[str, Refusal] = field(default_factory=dict)
    left_out: Mapping[str, Refusal] = field(default_factory=dict)


def build(
    situation: Situation,
    *,
    measured: Measured = NOTHING_MEASURED,
    relief: Collection[str] = (),
    resting: Mapping[Pair, float] | None = None,
) -> Built:
    """Return the problem of a situation under plan rules (`policies.plans.rails.under_plan`).

    `relief` are the UIDs of pods that must leave their nodes, `resting` the pairs that a failed plan lets rest.
    """
    fates = fates_of.tell_apart(situation, relief=relief, resting=resting)
    layout = Layout.of(situation, fates)
    amounts, eligible = _demand(layout), eligibility(layout)
    large = _too_large(layout, amounts, eligible)
    if large:
        layout = layout.without(large)
        amounts, eligible = _demand(layout), eligibility(layout)
    return Built(
        situation=situation,
        problem=_problem(layout, amounts.plus(carried(layout, measured)), eligible, accepting(layout, measured)),
        pods=layout.pods,
        nodes=tuple(node.name for node in layout.rows.nodes),
        priorities=tuple(_priorities(layout)),
        fixed=fates.fixed,
        left_out={**fates.left_out, **large},
    )


def _demand(layout: Layout) -> Amounts:
    return requested(layout).plus(attaching(layout))


def _problem(layout: Layout, amounts: Amounts, eligible: Eligibility, accepts: tuple[bool, ...]) -> Problem:
    priorities = _priorities(layout)
    return Problem(
        resources=amounts.resources,
        sites=tuple(
            Site(name=node.name, room=amounts.room[row], allocatable=amounts.allocatable[row], accepts=accepts[row])
            for row, node in enumerate(layout.rows.nodes)
        ),
        items=tuple(
            _item(pod, layout, requests=amounts.requests[at], eligible=eligible.of[at], priorities=priorities)
            for at, pod in enumerate(layout.pods)
        ),
        eligibility=eligible.sets,
        tiers=len(priorities),
        budgets=budgets(layout),
        exclusives=exclusives(layout),
        separations=separations(layout),
        attractions=attractions(layout),
        spreads=spreads(layout),
        max_disruptions=most_disruptions(layout),
    )


def _item(pod: Pod, layout: Layout, *, requests: tuple[int, ...], eligible: int, priorities: Mapping[int, int]) -> Item:
    return Item(
        key=pod.uid,
        requests=requests,
        tier=priorities[pod.priority],
        eligible=eligible,
        node=layout.row_of(pod),
        owner=_owner(pod),
        must_leave=pod.uid in layout.must_leave,
        keep_first=_seniority(pod, layout.situation.now),
    )


def _priorities(layout: Layout) -> Mapping[int, int]:
    """Return the tier of each priority: Kubernetes counts upwards, tiers downwards."""
    return {priority: tier for tier, priority in enumerate(sorted({pod.priority for pod in layout.pods}, reverse=True))}


def _owner(pod: Pod) -> str:
    """Name whom a pod is interchangeable with: its controller's pods of equal requests, or nobody."""
    kind = kind_of(pod)
    if kind is None:
        return pod.uid
    return f"{kind.controller} {sorted(kind.requests.amounts.items())}"


def _seniority(pod: Pod, now: float) -> float:
    """Return how long a pod has been Ready, in seconds; one that is not comes after all that are, the youngest last."""
    if pod.ready and pod.ready_since is not None:
        return now - pod.ready_since
    return _NOT_READY + now - pod.created_at


def _too_large(layout: Layout, amounts: Amounts, eligible: Eligibility) -> Mapping[str, Refusal]:
    """Return the pending pods that no eligible node could take if it were empty, each with the reason."""
    found: dict[str, Refusal] = {}
    for at, pod in enumerate(layout.pods):
        sites = eligible.sets[eligible.of[at]]
        if pod.node is None and not any(_fits(amounts.requests[at], amounts.allocatable[site]) for site in sites):
            found[pod.uid] = Refusal(TOO_LARGE, _how_large(pod, len(sites)))
    return found


def _fits(requests: tuple[int, ...], room: tuple[int, ...]) -> bool:
    return all(wanted <= 0 or wanted <= there for wanted, there in zip(requests, room, strict=True))


def _how_large(pod: Pod, eligible: int) -> str:
    if eligible == 0:
        return f"{pod}: no node is eligible, whoever moves"
    return f"{pod}: larger than each of the {eligible} eligible nodes if it were empty"
