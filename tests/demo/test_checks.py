"""Each sentence of the story fails when the opposite was seen."""

from dataclasses import replace

import pytest

from demo import checks, results
from demo.casting import Surge
from demo.checks import Ending, Relief
from demo.load import Pod
from tests.demo.scenery import decision, move, node, sight

TAKER = Pod("encoder-1", "encoder", "node-1")
CALM = sight(node("node-1", score=0.8, headroom=0.2, slack=0.4))
FIRST = move()
SECOND = move(
    pod="frontend-1", workload="frontend", rule="soft-slo", source="node-3", replacement="frontend-2", node="node-4"
)


def ending() -> Ending:
    """Return the end of a story that came true."""
    memory = results.remember(CALM)
    memory.see(replace(CALM, cycles=1, decisions=(decision(kind="refused", rail="veto", pod="encoder-1"),)))
    return Ending(
        hot=Relief(Surge(TAKER, 4.0, 1.05), FIRST),
        slow=Relief(Surge(Pod("reports-1", "reports", "node-3"), 2.0, 0.84), SECOND),
        after=results.figures(CALM),
        memory=memory,
        pods=(TAKER, Pod("search-2", "search", "node-2"), Pod("frontend-2", "frontend", "node-4")),
        granted=("frontend-1", "search-1"),
        closed={"search-2": "steering", "frontend-2": "steering"},
        wanted_pods=3,
    )


def failed(end: Ending) -> list[str]:
    """Return the sentences that are not true."""
    return [check.sentence for check in checks.checks(end) if not check.true]


def test_everything_is_true_of_a_story_as_told() -> None:
    assert failed(ending()) == []
    assert len(list(checks.checks(ending()))) == 8


def test_pod_must_have_been_refused_by_the_veto() -> None:
    assert failed(replace(ending(), memory=results.remember(CALM))) == [
        "the largest taker, encoder-1, was refused by the rail `veto` and still runs on node-1"
    ]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"granted": ("search-1",)}, "the API server granted exactly"),
        ({"granted": ("search-1", "frontend-1", "cart-1")}, "the API server granted exactly"),
        ({"closed": {"search-2": "steering", "frontend-2": ""}}, "the extender keeps each replacement"),
        ({"closed": {"search-2": "buoyancy", "frontend-2": "steering"}}, "the extender keeps each replacement"),
        ({"after": results.figures(sight(node(score=1.1, headroom=-0.1, slack=0.4)))}, "no node is oversubscribed"),
        ({"after": results.figures(sight(node(slack=-0.1)))}, "every objective is kept"),
        ({"after": results.figures(sight(node()))}, "every objective is kept"),
        ({"wanted_pods": 4}, "no pod was lost"),
    ],
)
def test_opposite_is_seen(changes: dict[str, object], sentence: str) -> None:
    (found,) = failed(replace(ending(), **changes))  # type: ignore[arg-type]

    assert found.startswith(sentence)


def test_replacement_that_returned_or_is_gone_is_seen() -> None:
    end = ending()
    returned = replace(end, hot=Relief(end.hot.surge, replace(FIRST, node="node-1")))
    gone = replace(end, pods=(TAKER, Pod("search-2", "search", "node-2")), wanted_pods=2)

    assert failed(returned) == ["the replacement of search-1 runs on another node than node-1"]
    assert failed(gone) == ["the replacement of frontend-1 runs on another node than node-3"]


def test_taker_that_was_moved_is_seen() -> None:
    end = ending()

    found = failed(replace(end, pods=(replace(TAKER, node="node-5"), *end.pods[1:])))

    assert [sentence[:16] for sentence in found] == ["the largest take"]
