"""Requests of unusual shape are read where that is safe, and answers escape what has to be."""

from typing import Any

import orjson
import pytest

from extender.codec import Victims, lines_reply, prioritize_reply, read_preempt_request, score_line


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        ([{"UID": "u1"}, {"UID": "u2"}], Victims(("u1", "u2"), 0, {})),
        ([{"metadata": {"uid": "u1"}, "spec": {"priority": 7}}], Victims(("u1",), 0, {"u1": 7})),
        ([{"UID": None, "metadata": {"uid": "u1"}}], Victims(("u1",), 0, {})),
        ([{"UID": "u1"}, {"metadata": {"uid": "u2"}}], Victims(("u1", "u2"), 0, {})),
        ([{"UID": 5}], None),
        (["u1"], None),
    ],
    ids=["meta", "whole", "empty UID", "mixed", "number", "text"],
)
def test_victims_are_read_or_their_node_is_left_out(pods: list[Any], expected: Victims | None) -> None:
    body = orjson.dumps({"Pod": {}, "NodeNameToMetaVictims": {"n1": {"Pods": pods, "NumPDBViolations": 0}}})

    assert read_preempt_request(body).nodes.get("n1") == expected


@pytest.mark.parametrize(
    "names",
    [[], ["n1"], ["n1", "n2"], ['a","Score":9},{"Host":"b'], ["back\\slash", "n2"], ["line\nbreak"], ["ü", "n2"]],
    ids=["none", "one", "two", "quotes", "backslash", "control", "umlaut"],
)
def test_scores_are_written_as_json_whatever_the_names(names: list[str]) -> None:
    scores = [*range(len(names))]

    written = orjson.loads(prioritize_reply(names, scores))
    by_line = orjson.loads(lines_reply(map(score_line, names, scores)))

    assert written == by_line == [{"Host": name, "Score": score} for name, score in zip(names, scores, strict=True)]
