"""Nodes by domain: each once, those without the key together, a domain that no node is in without any."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from descheduler.optimiser.ties.regions import NAMELESS, Once, Regions

DOMAINS = (7, 3, -1, 7, -5)


def test_nodes_of_domains() -> None:
    regions = Regions(DOMAINS)

    nodes = np.arange(len(DOMAINS))
    assert nodes[regions.nodes([7])].tolist() == [0, 3]
    assert nodes[regions.nodes([NAMELESS, 3])].tolist() == [2, 4, 1]
    assert nodes[regions.nodes([])].tolist() == nodes[regions.nodes([1])].tolist() == []
    assert regions.of == (7, 3, NAMELESS, 7, NAMELESS)


@given(st.lists(st.integers(-2, 30), min_size=1, max_size=40), st.sets(st.integers(-1, 40)))
def test_many_domains_have_the_nodes_that_few_have(domains: list[int], chosen: set[int]) -> None:
    found = np.zeros(len(domains), dtype=np.bool_)
    found[Regions(tuple(domains)).nodes(chosen)] = True

    assert found.tolist() == [max(domain, NAMELESS) in chosen for domain in domains]


def test_what_is_made_of_equal_keys_is_made_once() -> None:
    made: list[tuple[int, ...]] = []

    def make(key: tuple[int, ...]) -> int:
        made.append(key)
        return len(made)

    once = Once(make)
    assert [once.of(DOMAINS), once.of(DOMAINS), once.of((*DOMAINS[:2], *DOMAINS[2:])), once.of((1,))] == [1, 1, 1, 2]
    assert made == [DOMAINS, (1,)]
