"""Standings, views and strategies for tests of placement."""

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from policies.model.buoyancy import Buoyancy
from policies.model.scope import Scope
from policies.placement.ratings import Rating, Ratings, rate
from policies.placement.scope import Reach
from policies.placement.views import View
from policies.values.standings import Confidence, NodeStanding

OWN_NAMESPACE = "bayplan-system"


def make_standing(node: str = "n1", buoyancy: float | None = 0.5, **changes: Any) -> NodeStanding:
    """Return the standing of a fully measured node of one contested resource; None leaves it unknown."""
    known = buoyancy is not None
    defaults: dict[str, Any] = {
        "node": node,
        "confidence": Confidence.FULL if known else Confidence.UNKNOWN,
        "headroom": buoyancy,
        "filter_buoyancy": buoyancy,
        "score_buoyancy": buoyancy,
        "contested": "cpu" if known else None,
        "refusable": known,
        "scores": {} if buoyancy is None else {"cpu": 1 - buoyancy},
    }
    return NodeStanding(**(defaults | changes))


def make_ratings(standings: Iterable[NodeStanding], *, filter_below: float = 0.1) -> Ratings:
    """Return the ratings of nodes."""
    rated: dict[str, Rating] = {standing.node: rate(standing, filter_below=filter_below) for standing in standings}
    return Ratings(
        below={name: rating.below for name, rating in rated.items() if rating.below is not None},
        scores={name: rating.score for name, rating in rated.items() if rating.score is not None},
        capped={name: rating.capped for name, rating in rated.items() if rating.capped is not None},
    )


def make_view(*standings: NodeStanding, **changes: Any) -> View:
    """Return the view under the shipped policy; fields of the policy's `buoyancy` section may be given by name."""
    tuned = {name: changes.pop(name) for name in Buoyancy.model_fields if name in changes}
    buoyancy = Buoyancy(**tuned)
    defaults: dict[str, Any] = {
        "reach": Reach.of(Scope(), OWN_NAMESPACE),
        "buoyancy": buoyancy,
        "ratings": make_ratings(standings, filter_below=buoyancy.filter_below),
    }
    return View(**(defaults | changes))


def buoyancies() -> st.SearchStrategy[float | None]:
    """Draw a node's buoyancy, or None for a node of which nothing is known."""
    return st.none() | st.floats(min_value=-5, max_value=1) | st.sampled_from([0.0, 0.1, 0.09999999999999998])


def requests(*, min_size: int = 0) -> st.SearchStrategy[list[str]]:
    """Draw the names of a request."""
    names = [f"n{number}" for number in range(12)]
    return st.lists(st.sampled_from(names), unique=True, min_size=min_size)


@st.composite
def fleets(draw: st.DrawFn) -> list[NodeStanding]:
    """Draw the standings of some nodes, some of them resting on unverified or partial measurements."""
    names = draw(requests())
    return [_drawn(draw, name) for name in names]


def _drawn(draw: st.DrawFn, name: str) -> NodeStanding:
    buoyancy = draw(buoyancies())
    if buoyancy is None:
        return make_standing(name, None)
    confidence = draw(st.sampled_from([Confidence.FULL, Confidence.PARTIAL]))
    return make_standing(name, buoyancy, confidence=confidence, refusable=draw(st.booleans()))
