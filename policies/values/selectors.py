"""Label selectors and node selector terms, with Kubernetes' meaning of each operator; knows no pod and no node."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Label = tuple[str, str]


class Operator(StrEnum):
    """The operators of label selector and node selector requirements."""

    IN = "In"
    NOT_IN = "NotIn"
    EXISTS = "Exists"
    DOES_NOT_EXIST = "DoesNotExist"
    GREATER = "Gt"
    LESS = "Lt"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement on one label (or, in `matchFields`, on one field)."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether the labels meet the requirement; an absent label meets `NotIn` and `DoesNotExist`."""
        value = labels.get(self.key)
        match self.operator:
            case Operator.IN:
                return value in self.values
            case Operator.NOT_IN:
                return value not in self.values
            case Operator.EXISTS:
                return value is not None
            case Operator.DOES_NOT_EXIST:
                return value is None
            case _:
                return self._compares(value)

    def _compares(self, value: str | None) -> bool:
        try:
            seen, bound = int(value or ""), int(self.values[0])
        except (ValueError, IndexError):
            return False
        return seen > bound if self.operator is Operator.GREATER else seen < bound


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """All requirements must hold; without any it matches everything, as an empty Kubernetes selector does.

    Kubernetes tells an empty selector (everything) from an absent one (nothing): an absent one is None in the
    value that carries it.
    """

    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether labels meet every requirement."""
        return all(requirement.matches(labels) for requirement in self.requirements)

    def needed(self) -> tuple[Label, ...]:
        """Return labels of which whatever matches has exactly one; empty where no value is asked for."""
        first = next((each for each in self.requirements if each.operator is Operator.IN), None)
        return () if first is None else tuple((first.key, value) for value in dict.fromkeys(first.values))


@dataclass(frozen=True, slots=True)
class NodeSelectorTerm:
    """One alternative of a required node affinity: all expressions on labels and all on fields must hold.

    A term without any requirement matches no node (Kubernetes' rule).
    """

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = field(default=())

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Tell whether a node with these labels and this name meets the term."""
        if not self.expressions and not self.fields:
            return False
        fields = {"metadata.name": name}
        return all(r.matches(labels) for r in self.expressions) and all(r.matches(fields) for r in self.fields)
