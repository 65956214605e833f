"""What a model is asked to keep and to reach: limits relative to the incumbent; solves nothing."""

from descheduler.optimiser.model.assembling import Model, total
from descheduler.optimiser.model.draft import Sum
from descheduler.optimiser.scores import Score
from descheduler.optimiser.search import Search

Limit = tuple[Sum, int]


def floors(model: Model, held: Score) -> list[Limit]:
    """Return that no tier has more evicted or unplaced pods than now."""
    return [
        *zip(model.evicted, held.evicted, strict=True),
        *zip(model.unplaced, held.unplaced, strict=True),
    ]


def price(search: Search, model: Model, gained: Sum, now: int) -> list[Limit]:
    """Return that each unit by which `gained` falls below `now` costs at most the price in weighted disruptions.

    `weights + price * gained <= weights now + price * now`; nothing where there is no price.
    """
    each = search.options.price
    if each is None:
        return []
    return [(total(model.weights).plus(gained, each), search.score.weight + each * now)]


def settled(search: Search, model: Model, tier: int) -> list[Limit]:
    """Return, under `frozen`, that the tiers above one are disturbed no more than now."""
    if search.options.order != "frozen":
        return []
    return list(zip(model.weights[:tier], search.score.weights[:tier], strict=True))
