"""Which attractions wait for which, and who of their matches may come first; places nobody.

Counts of carriers by pod stand for the pairs of attractions, of which there may be millions: all of it takes as long
as reading the members.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from descheduler.optimiser.problem import Attraction


def waits_for_nobody(attractions: Sequence[Attraction]) -> list[frozenset[int]]:
    """Return for each attraction the matches that may come first: pods whose own attractions are settled before it.

    Attractions are taken in the order in which they can be settled. In a circle the rest waits for who stays, which
    refuses some plans that could be carried out.
    """
    before: list[frozenset[int]] = [frozenset()] * len(attractions)
    order = _Order(attractions)
    for numbers in order.rounds():
        for number in numbers:
            before[number] = frozenset(pod for pod in order.matching[number] if not order.carried[pod])
    return before


def circular(attractions: Sequence[Attraction]) -> bool:
    """Whether some attractions wait for each other, so that the rows refuse plans that could be carried out."""
    order = _Order(attractions)
    for _ in order.rounds():
        pass
    return order.circle


class _Order:
    """Takes attractions in turn: one is held up while another one that is left carries a match of it.

    `carried` says how many of those that are left carry a pod, `_held` how many matches hold an attraction up.
    """

    def __init__(self, attractions: Sequence[Attraction]) -> None:
        self.circle = False
        self.matching = [frozenset(attraction.matching) for attraction in attractions]
        self._carriers = [frozenset(attraction.carriers) for attraction in attractions]
        self._carrying, self._wanting = _by_pod(self._carriers), _by_pod(self.matching)
        self.carried = Counter({pod: len(numbers) for pod, numbers in self._carrying.items()})
        # Whoever carries the very attraction that it matches is no first match of it, but does not hold it up.
        self._held = [
            sum(self.carried[pod] > (pod in carriers) for pod in matching)
            for carriers, matching in zip(self._carriers, self.matching, strict=True)
        ]
        self._left = set(range(len(attractions)))

    def rounds(self) -> Iterator[list[int]]:
        """Yield what can be settled next, all of it at once; a circle, and all that waits for it, is the last round."""
        free = [number for number in self._left if not self._held[number]]
        while free:
            yield free
            free = [released for number in free for released in self._settle(number)]
        if self._left:
            self.circle = True
            yield [*self._left]

    def _settle(self, number: int) -> Iterator[int]:
        """Take an attraction away; yield those that nothing holds up any more."""
        self._left.remove(number)
        for pod in self._carriers[number]:
            self.carried[pod] -= 1
            for other in self._let_go(pod):
                self._held[other] -= 1
                if not self._held[other]:
                    yield other

    def _let_go(self, pod: int) -> list[int]:
        """Return the attractions that a pod has just ceased to hold up, as one carrier of it fewer is left."""
        if self.carried[pod] == 1:
            last = next(number for number in self._carrying[pod] if number in self._left)
            return [last] if pod in self.matching[last] else []
        if self.carried[pod] == 0:
            return [number for number in self._wanting.get(pod, ()) if pod not in self._carriers[number]]
        return []


def _by_pod(sets: Iterable[frozenset[int]]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for number, pods in enumerate(sets):
        for pod in pods:
            found.setdefault(pod, []).append(number)
    return found
