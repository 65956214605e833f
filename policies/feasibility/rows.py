"""The nodes of a cluster as rows of arrays, by name, and the domain each stands in by topology; knows no pod."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from policies.values.nodes import Node, Taint

Mask: TypeAlias = NDArray[np.bool_]
Codes: TypeAlias = NDArray[np.intp]


class Rows:
    """A fixed order of nodes. A mask has one flag a row; where a cluster has thousands of nodes, nobody loops."""

    def __init__(self, nodes: Mapping[str, Node]) -> None:
        self.nodes = tuple(nodes[name] for name in sorted(nodes))
        self.row = {node.name: row for row, node in enumerate(self.nodes)}
        self._codes: dict[str, Codes] = {}

    @cached_property
    def tainted(self) -> Mapping[Taint, Mask]:
        """The mask of the nodes with each taint, by key, value and effect."""
        taints = {taint for node in self.nodes for taint in node.taints}
        ordered = sorted(taints, key=lambda taint: (taint.key, taint.value, taint.effect))
        return {taint: self.where(partial(_has, taint=taint)) for taint in ordered}

    def where(self, test: Callable[[Node], object]) -> Mask:
        """Return the mask of the nodes that pass a test."""
        return np.fromiter((bool(test(node)) for node in self.nodes), dtype=np.bool_, count=len(self.nodes))

    def named(self, names: Iterable[str]) -> Mask:
        """Return the mask of some nodes by name; unknown names are passed over."""
        mask = np.zeros(len(self.nodes), np.bool_)
        mask[[self.row[name] for name in names if name in self.row]] = True
        return mask

    def codes(self, key: str) -> Codes:
        """Return each node's domain under a topology key as a number, -1 where it has none."""
        if key not in self._codes:
            numbers: dict[str, int] = {}
            values = (node.labels.get(key) for node in self.nodes)
            codes = [-1 if value is None else numbers.setdefault(value, len(numbers)) for value in values]
            self._codes[key] = np.array(codes, np.intp)
        return self._codes[key]

    def sharing_domain(self, key: str, rows: Iterable[int]) -> Mask:
        """Return the mask of all nodes in the same domains as some rows."""
        codes = self.codes(key)
        # One place more than there are domains: -1, no domain, finds it and is cleared again.
        hit = np.zeros(len(self.nodes) + 1, np.bool_)
        hit[codes[np.fromiter(rows, np.intp)]] = True
        hit[-1] = False
        return hit[codes]


def _has(node: Node, taint: Taint) -> bool:
    return taint in node.taints
