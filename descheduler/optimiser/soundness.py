"""Whether a problem is one at all: indices that exist, lengths that agree, amounts that make sense; solves nothing.

What comes from a cluster is sound by construction. What is read from a file, or built from a snapshot with absurd
quantities, is looked at here before any solver sees it.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from descheduler.optimiser.problem import Item, Problem, Spread
from descheduler.optimiser.solution import LARGEST, Options

_MOST: Final = 2**63 - 1  # Kubernetes keeps quantities in 64 bits; a request beyond that fits nowhere
_MOST_PODS: Final = 2**31 - 1  # Kubernetes keeps a skew in 32 bits; rows of several such numbers fit into 64
_HEAVIEST: Final = 2**40  # sums over 100,000 pods, times what a loss counts for, fit into 64 bits


def faults(problem: Problem) -> tuple[str, ...]:
    """Return all that is wrong with a problem, each with its path, what was seen and what is allowed."""
    return tuple(
        f"problem.{path}: seen {seen}; allowed is {allowed}"
        for part in (_heads, _sites, _items, _eligibility, _groups, _domains, _spreads)
        for path, seen, allowed in part(problem)
    )


def option_faults(options: Options) -> tuple[str, ...]:
    """Return all that is wrong with what a solve is allowed, in the same words."""
    return tuple(f"options.{path}: seen {seen}; allowed is {allowed}" for path, seen, allowed in _options(options))


_Fault = tuple[str, object, str]


def _options(options: Options) -> Iterator[_Fault]:
    for label, limit in (("time_limit", options.time_limit), ("deterministic", options.deterministic)):
        if limit is not None and not (math.isfinite(limit) and limit >= 0):
            yield label, limit, "a finite number of 0 or more"
    for label, number in (("price", options.price), ("seed", options.seed)):
        if number is not None and not 0 <= number <= LARGEST:
            yield label, number, f"0 to {LARGEST}"
    if options.workers < 1:
        yield "workers", options.workers, "1 or more"


def _heads(problem: Problem) -> Iterator[_Fault]:
    if problem.tiers < 0:
        yield "tiers", problem.tiers, "0 or more"
    for at, resource in enumerate(problem.primary):
        if not 0 <= resource < len(problem.resources):
            yield f"primary[{at}]", resource, _below(problem.resources)
    yield from _repeated("items", "key", [item.key for item in problem.items])
    yield from _repeated("sites", "name", [site.name for site in problem.sites])


def _repeated(path: str, label: str, names: Sequence[str]) -> Iterator[_Fault]:
    seen: set[str] = set()
    for at, name in enumerate(names):
        if name in seen:
            yield f"{path}[{at}].{label}", repr(name), "each only once"
        seen.add(name)


def _sites(problem: Problem) -> Iterator[_Fault]:
    for at, site in enumerate(problem.sites):
        for label, amounts in (("room", site.room), ("allocatable", site.allocatable)):
            if len(amounts) != len(problem.resources):
                yield f"sites[{at}].{label}", f"{len(amounts)} amounts", f"one for each of {len(problem.resources)}"
            for resource, amount in enumerate(amounts):
                if abs(amount) > _MOST:
                    yield f"sites[{at}].{label}[{resource}]", amount, f"-{_MOST} to {_MOST}"


def _items(problem: Problem) -> Iterator[_Fault]:
    for at, item in enumerate(problem.items):
        for label, seen, allowed in _item(problem, item):
            yield f"items[{at}].{label}", seen, allowed


def _item(problem: Problem, item: Item) -> Iterator[_Fault]:
    if len(item.requests) != len(problem.resources):
        yield "requests", f"{len(item.requests)} amounts", f"one for each of {len(problem.resources)}"
    for at, amount in enumerate(item.requests):
        if not 0 <= amount <= _MOST:
            yield f"requests[{at}]", amount, f"0 to {_MOST}"
    if not 0 <= item.tier < problem.tiers:
        yield "tier", item.tier, f"0 to {problem.tiers - 1}"
    if not 0 <= item.eligible < len(problem.eligibility):
        yield "eligible", item.eligible, _below(problem.eligibility)
    if item.node is not None and not 0 <= item.node < len(problem.sites):
        yield "node", item.node, f"{_below(problem.sites)}, or null"
    if not 1 <= item.weight <= _HEAVIEST:
        yield "weight", item.weight, f"1 to {_HEAVIEST}"
    if not math.isfinite(item.keep_first):
        yield "keep_first", item.keep_first, "a finite number"


def _eligibility(problem: Problem) -> Iterator[_Fault]:
    for at, nodes in enumerate(problem.eligibility):
        yield from _indices(f"eligibility[{at}]", nodes, problem.sites)
        if any(left >= right for left, right in itertools.pairwise(nodes)):
            yield f"eligibility[{at}]", "nodes out of order or repeated", "each once, in rising order"


def _groups(problem: Problem) -> Iterator[_Fault]:
    named: list[tuple[str, Iterable[int]]] = []
    named += [(f"budgets[{at}].members", each.members) for at, each in enumerate(problem.budgets)]
    named += [(f"exclusives[{at}].members", each.members) for at, each in enumerate(problem.exclusives)]
    for at, apart in enumerate(problem.separations):
        named += [(f"separations[{at}].carriers", apart.carriers), (f"separations[{at}].others", apart.others)]
    for at, near in enumerate(problem.attractions):
        named += [(f"attractions[{at}].carriers", near.carriers), (f"attractions[{at}].matching", near.matching)]
    for at, even in enumerate(problem.spreads):
        named += [(f"spreads[{at}].carriers", even.carriers), (f"spreads[{at}].counted", even.counted)]
    for path, members in named:
        yield from _indices(path, members, problem.items)


def _domains(problem: Problem) -> Iterator[_Fault]:
    named = [(f"separations[{at}].domains", each.domains) for at, each in enumerate(problem.separations)]
    named += [(f"attractions[{at}].domains", each.domains) for at, each in enumerate(problem.attractions)]
    named += [(f"spreads[{at}].domains", each.domains) for at, each in enumerate(problem.spreads)]
    for path, domains in named:
        if len(domains) != len(problem.sites):
            yield path, f"{len(domains)} domains", f"one for each of {len(problem.sites)} nodes"


def _spreads(problem: Problem) -> Iterator[_Fault]:
    for at, spread in enumerate(problem.spreads):
        for label, seen, allowed in _spread(spread):
            yield f"spreads[{at}].{label}", seen, allowed


def _spread(spread: Spread) -> Iterator[_Fault]:
    if not 1 <= spread.max_skew <= _MOST_PODS:
        yield "max_skew", spread.max_skew, f"1 to {_MOST_PODS}"
    for at, (domain, pods) in enumerate(spread.fixed):
        if domain < 0 or not 0 <= pods <= _MOST_PODS:
            yield f"fixed[{at}]", [domain, pods], f"a domain of 0 or more and 0 to {_MOST_PODS} pods"


def _indices(path: str, indices: Iterable[int], of: Sequence[object]) -> Iterator[_Fault]:
    for at, index in enumerate(indices):
        if not 0 <= index < len(of):
            yield f"{path}[{at}]", index, _below(of)


def _below(of: Sequence[object]) -> str:
    return f"0 to {len(of) - 1}" if of else "nothing, as there is none"
