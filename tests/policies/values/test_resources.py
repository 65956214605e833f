"""Amounts of resources: sums, differences, and what is lacking."""

import dataclasses
import pickle

from hypothesis import given
from hypothesis import strategies as st

from policies.values.resources import Resources, total

AMOUNTS = st.dictionaries(st.sampled_from(["cpu", "memory", "pods", "example.com/gpu"]), st.integers(0, 10**12))


def test_a_resource_that_is_not_named_is_none_of_it() -> None:
    assert Resources({"cpu": 5})["memory"] == 0


def test_sum_difference_and_maximum_go_over_all_names() -> None:
    left, right = Resources({"cpu": 500, "pods": 1}), Resources({"cpu": 200, "memory": 7})

    assert (left + right).amounts == {"cpu": 700, "pods": 1, "memory": 7}
    assert (left - right).amounts == {"cpu": 300, "pods": 1, "memory": -7}
    assert left.largest_with(right).amounts == {"cpu": 500, "pods": 1, "memory": 7}


def test_what_is_lacking_is_named_in_order() -> None:
    wanted = Resources({"memory": 9, "cpu": 5, "pods": 1})

    assert wanted.lacking(Resources({"cpu": 4, "pods": 1})) == ("cpu", "memory")


def test_a_request_of_nothing_fits_a_node_over_its_capacity() -> None:
    assert Resources({"cpu": 0}).lacking(Resources({"cpu": -3})) == ()


@given(AMOUNTS, AMOUNTS)
def test_what_was_added_can_be_taken_off(left: dict[str, int], right: dict[str, int]) -> None:
    back = Resources(left) + Resources(right) - Resources(right)

    assert all(back[name] == Resources(left)[name] for name in left.keys() | right.keys())


@given(AMOUNTS, AMOUNTS)
def test_more_room_never_lacks_more(wanted: dict[str, int], room: dict[str, int]) -> None:
    more = total((Resources(room), Resources({"cpu": 1, "memory": 1, "pods": 1})))

    assert set(Resources(wanted).lacking(more)) <= set(Resources(wanted).lacking(Resources(room)))


def test_equal_amounts_are_one_key_in_whatever_order_they_were_named() -> None:
    assert hash(Resources({"cpu": 5, "pods": 1})) == hash(Resources({"pods": 1, "cpu": 5}))


def test_a_hash_that_is_kept_goes_nowhere_with_the_value() -> None:
    value = Resources({"cpu": 5})
    kept = hash(value)

    copied = pickle.loads(pickle.dumps(value))  # noqa: S301  # our own bytes

    assert hash(value) == kept
    assert dataclasses.asdict(value) == {"amounts": {"cpu": 5}}
    assert copied == value
    assert not hasattr(copied, "_hash")
