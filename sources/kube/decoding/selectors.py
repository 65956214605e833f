"""Label selectors and node selector terms out of objects; they match nothing here."""

from collections.abc import Mapping
from typing import Any

from policies.values.selectors import LabelSelector, NodeSelectorTerm, Operator, Requirement
from sources.kube.decoding.sharing import word

_Raw = Mapping[str, Any]


def label_selector(raw: _Raw | None) -> LabelSelector | None:
    """Return a selector; None (absent) matches nothing, an empty one everything.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it is malformed or has an operator we do not know.
    """
    if raw is None:
        return None
    exact = tuple(
        Requirement(word(key), Operator.IN, (word(value),)) for key, value in (raw.get("matchLabels") or {}).items()
    )
    return LabelSelector(exact + _requirements(raw.get("matchExpressions")))


def node_terms(raw: _Raw | None) -> tuple[NodeSelectorTerm, ...] | None:
    """Return the alternatives of a NodeSelector; None (absent) matches every node, an empty tuple none.

    Raises:
        As `label_selector`.
    """
    if raw is None:
        return None
    return tuple(
        NodeSelectorTerm(_requirements(term.get("matchExpressions")), _requirements(term.get("matchFields")))
        for term in raw.get("nodeSelectorTerms") or ()
    )


def topology_terms(raw: list[_Raw] | None) -> tuple[NodeSelectorTerm, ...] | None:
    """Return `allowedTopologies` of a StorageClass, whose expressions mean `In`; none at all allows every node.

    Raises:
        As `label_selector`.
    """
    if not raw:
        return None
    return tuple(
        NodeSelectorTerm(
            tuple(
                Requirement(word(one["key"]), Operator.IN, tuple(map(word, one["values"])))
                for one in term.get("matchLabelExpressions") or ()
            )
        )
        for term in raw
    )


def _requirements(raw: list[_Raw] | None) -> tuple[Requirement, ...]:
    return tuple(
        Requirement(word(one["key"]), Operator(one["operator"]), tuple(map(word, one.get("values") or ())))
        for one in raw or ()
    )
