"""Which pods Bayplan may place and evict."""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from pydantic import Field

from policies.model.fields import LabelKey, LabelValue, Namespace, SchedulerName
from policies.model.sections import Remark, Section
from policies.values.selectors import LabelSelector, Operator, Requirement

_WITH_VALUES: Final = frozenset({"In", "NotIn"})
_BOTH: Final = (("operator",), ("values",))


class Namespaces(Section):
    """Namespaces by name."""

    include: tuple[Namespace, ...] = Field(
        default=(),
        description="Only pods of these namespaces are in scope. Default: empty, which means every namespace that is "
        "not excluded, so that a new namespace needs no change here.",
    )
    exclude: tuple[Namespace, ...] = Field(
        default=("kube-system", "bayplan-system", "monitoring"),
        description="Pods of these namespaces are never in scope. Default: the cluster's own components, Bayplan and "
        "the usual home of its metrics, because a scheduler that holds back what it depends on cannot recover.",
    )

    def conflicts(self) -> Iterator[Remark]:
        """Refuse a namespace that is both in and out."""
        for index, name in enumerate(self.include):
            if name in self.exclude:
                yield Remark(
                    at=("include", index),
                    message=f"{name!r} is also in exclude (which holds {', '.join(self.exclude)}); allowed is one of "
                    "them",
                    about=(("include",), ("exclude",)),
                )

    def cover(self, namespace: str) -> bool:
        """Tell whether pods of this namespace are in scope."""
        return namespace not in self.exclude and (not self.include or namespace in self.include)


class SelectorRequirement(Section):
    """A `matchExpressions` entry."""

    key: LabelKey = Field(description="The label that is looked at.", examples=["app"])
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"] = Field(
        description="How it is compared, with Kubernetes' meaning: a pod without the label meets NotIn and "
        "DoesNotExist.",
        examples=["Exists"],
    )
    values: tuple[LabelValue, ...] = Field(
        default=(),
        description="What it is compared with: at least one value for In and NotIn, none for Exists and DoesNotExist. "
        "Default: empty, as half of the operators take none.",
    )

    def conflicts(self) -> Iterator[Remark]:
        """Refuse values where there may be none, and their absence where there must be some."""
        seen = f"operator {self.operator} with {len(self.values)} values"
        if self.operator in _WITH_VALUES and not self.values:
            yield Remark(at=("values",), message=f"{seen}; allowed is one value or more", about=_BOTH)
        if self.operator not in _WITH_VALUES and self.values:
            yield Remark(at=("values",), message=f"{seen}; allowed is none", about=_BOTH)


class Selector(Section):
    """A Kubernetes label selector; an empty one matches every pod."""

    match_labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict,
        description="Labels a pod must carry with exactly these values. Default: none, which asks for nothing.",
    )
    match_expressions: tuple[SelectorRequirement, ...] = Field(
        default=(),
        description="Further requirements, all of which must hold. Default: none, which asks for nothing.",
    )

    def warnings(self) -> Iterator[Remark]:
        """Name labels whose requirements no pod can meet at once."""
        by_key: dict[str, list[Requirement]] = {}
        for requirement in self.compiled().requirements:
            by_key.setdefault(requirement.key, []).append(requirement)
        for about_key in by_key.values():
            if _contradict(about_key):
                words = " and ".join(_words(requirement) for requirement in about_key)
                yield Remark(at=(), message=f"{words} contradict each other: the selector matches no pod")

    def compiled(self) -> LabelSelector:
        """Return the value that decisions match labels against."""
        exact = tuple(Requirement(key, Operator.IN, (value,)) for key, value in self.match_labels.items())
        return LabelSelector(
            exact + tuple(Requirement(r.key, Operator(r.operator), r.values) for r in self.match_expressions)
        )


def _contradict(requirements: Iterable[Requirement]) -> bool:
    """Tell whether no state of one label, absent or any value that is named, meets all requirements."""
    requirements = tuple(requirements)
    key = requirements[0].key
    unnamed = "\0"  # stands for every value that no requirement names
    values = {unnamed, *(value for requirement in requirements for value in requirement.values)}
    states: list[dict[str, str]] = [{}, *({key: value} for value in values)]
    return not any(all(requirement.matches(labels) for requirement in requirements) for labels in states)


def _words(requirement: Requirement) -> str:
    named = f" ({', '.join(requirement.values)})" if requirement.values else ""
    return f"{requirement.key} {requirement.operator}{named}"


class Scope(Section):
    """The pods in scope: by namespace, label and scheduler name, all three at once."""

    namespaces: Namespaces = Field(default_factory=Namespaces, description="Which namespaces are in scope.")
    pod_selector: Selector = Field(
        default_factory=Selector,
        description="Which pods of these namespaces are in scope, by label. Default: empty, which means all of them.",
    )
    scheduler_names: tuple[SchedulerName, ...] = Field(
        default=("bayplan-scheduler",),
        description="Pods whose `spec.schedulerName` is one of these are in scope. Default: the scheduler of the "
        "shipped base layout; name `default-scheduler` where Bayplan extends the cluster's own one.",
        min_length=1,
    )
