"""Nodes by domain: each once, those without the key together, a domain that no node is in without any."""

from descheduler.optimiser.ties.regions import NAMELESS, Once, Regions

DOMAINS = (7, 3, -1, 7, -5)


def test_nodes_of_domains() -> None:
    regions = Regions(DOMAINS)

    assert regions.nodes([7]).tolist() == [0, 3]
    assert regions.nodes([NAMELESS, 3]).tolist() == [2, 4, 1]
    assert regions.nodes([]).tolist() == regions.nodes([1]).tolist() == []
    assert regions.of == (7, 3, NAMELESS, 7, NAMELESS)


def test_what_is_made_of_equal_keys_is_made_once() -> None:
    made: list[tuple[int, ...]] = []

    def make(key: tuple[int, ...]) -> int:
        made.append(key)
        return len(made)

    once = Once(make)
    assert [once.of(DOMAINS), once.of(DOMAINS), once.of((*DOMAINS[:2], *DOMAINS[2:])), once.of((1,))] == [1, 1, 1, 2]
    assert made == [DOMAINS, (1,)]
