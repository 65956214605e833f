"""Figures of moments, and what is remembered of them."""

import math

from demo import results
from demo.results import Check, Results
from tests.demo.scenery import decision, node, sight


def test_figures_count_what_is_wrong() -> None:
    seen = results.figures(
        sight(
            node("node-1", score=1.4, headroom=-0.4, refused="buoyancy"),
            node("node-2", slack=-0.2),
            node("node-3", score=None, headroom=None),
        )
    )

    assert (seen.score, seen.score_on, seen.slack, seen.slack_on) == (1.4, "node-1", -0.2, "node-2")
    assert (seen.oversubscribed, seen.closed, seen.breaching) == (1, 1, 1)


def test_nothing_known_is_not_zero() -> None:
    seen = results.figures(sight())

    assert math.isnan(seen.score)
    assert math.isnan(seen.slack)


def test_worst_of_two_moments_takes_each_figure_from_where_it_was_worst() -> None:
    hot = results.figures(sight(node("node-1", score=1.4, headroom=-0.4, slack=0.5)))
    slow = results.figures(sight(node("node-2", slack=-0.3)))

    for worst in (results.worse(hot, slow), results.worse(slow, hot)):
        assert (worst.score_on, worst.slack_on) == ("node-1", "node-2")
        assert (worst.oversubscribed, worst.breaching) == (1, 1)


def test_what_is_not_known_is_never_the_worst() -> None:
    unknown, known = results.figures(sight()), results.figures(sight(node(slack=0.4)))

    for worst in (results.worse(unknown, known), results.worse(known, unknown)):
        assert (worst.score, worst.slack) == (0.5, 0.4)


def test_decision_is_new_once_and_counted_once_a_cycle() -> None:
    memory = results.remember(sight(node(), cycles=1))
    veto = decision(kind="refused", rail="veto", pod="encoder-1")

    first = memory.see(sight(node(), cycles=2, decisions=(decision(), veto)))
    same = memory.see(sight(node(), cycles=2, decisions=(decision(), veto)))
    again = memory.see(sight(node(), cycles=3, decisions=(veto,)))

    assert first == [veto, decision()]
    assert same == again == []
    assert list(memory.decided.values()) == [(veto, 2), (decision(), 1)]
    assert memory.refused("encoder-1", "veto")
    assert not memory.refused("encoder-1", "pdb")


def test_memory_keeps_the_worst_and_the_last() -> None:
    memory = results.remember(sight(node()))
    hot, last = sight(node(score=1.2, headroom=-0.2)), sight(node(score=0.7))

    memory.see(hot)
    memory.see(last)

    assert (memory.before.score, memory.worst.score, memory.last) == (0.5, 1.2, last)


def test_story_came_true_if_every_check_did_and_there_were_some() -> None:
    memory = results.remember(sight(node()))

    def came_true(*checks: bool, failure: str = "") -> bool:
        made = tuple(Check("it rained", true=true) for true in checks)
        return Results(memory=memory, after=memory.before, checks=made, seconds=1, failure=failure).came_true

    assert came_true(True, True)
    assert not came_true(True, False)
    assert not came_true()
    assert not came_true(True, failure="broke off")
