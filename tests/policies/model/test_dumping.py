"""Dumping: what was dumped loads as the same policy, and the hash is that of the content."""

import json

from hypothesis import given

from policies.model.dumping import content_hash, dump, plain
from policies.model.loading import load
from tests.policies.model.policy_data import Data, policies

HEAD = "apiVersion: bayplan.dev/v1alpha1\nkind: Policy\n"


@given(policies())
def test_dumped_policy_loads_as_the_same_policy(data: Data) -> None:
    first = load(json.dumps(data, ensure_ascii=False), file="p.yaml")  # JSON is YAML

    again = load(dump(first.policy), file="p.yaml")

    assert again.policy == first.policy
    assert again.hash == first.hash
    assert {warning.message for warning in again.warnings} == {warning.message for warning in first.warnings}


def test_words_that_look_like_numbers_stay_words() -> None:
    policy = load(
        HEAD + 'slos: [{name: "80", selector: {matchLabels: {a: "1e3"}}, indicator: "1", atMost: 1}]', file="p"
    )

    again = load(dump(policy.policy), file="p")

    assert again.policy.slos[0].selector.match_labels == {"a": "1e3"}


def test_hash_does_not_change_with_comments_order_and_spelled_out_defaults() -> None:
    bare = load(HEAD + "steering: {avoidSource: 10m}\n", file="p").policy
    spelled = load(
        "# why\nkind: Policy\nbuoyancy: {filterBelow: 0.1}\napiVersion: bayplan.dev/v1alpha1\n", file="p"
    ).policy

    assert content_hash(bare) == content_hash(spelled)


def test_hash_changes_with_any_value() -> None:
    hashes = {load(HEAD + f"steering: {{avoidSource: {n}m}}", file="p").hash for n in range(1, 20)}

    assert len(hashes) == 19
    assert all(len(value) == 12 for value in hashes)


def test_plain_data_spells_durations_and_defaults_as_an_operator_would() -> None:
    data = plain(load(HEAD, file="p").policy)

    assert data["signals"]["staleAfter"] == "1m"
    assert data["buoyancy"]["clearAbove"] == 0.05
    assert "caFile" not in data["signals"]["prometheus"]
