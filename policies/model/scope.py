"""Which pods Bayplan may place and evict."""

from pydantic import Field

from policies.model.fields import Section
from policies.values.selectors import LabelSelector, Operator, Requirement


class Namespaces(Section):
    """Namespaces by name; an empty `include` means all that are not excluded."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ("kube-system", "bayplan-system", "monitoring")


class SelectorRequirement(Section):
    """A `matchExpressions` entry."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class Selector(Section):
    """A Kubernetes label selector; an empty one matches every pod."""

    match_labels: dict[str, str] = Field(default_factory=dict)
    match_expressions: tuple[SelectorRequirement, ...] = ()

    def compiled(self) -> LabelSelector:
        """Return the value that decisions match labels against."""
        exact = tuple(Requirement(key, Operator.IN, (value,)) for key, value in self.match_labels.items())
        return LabelSelector(
            exact + tuple(Requirement(r.key, Operator(r.operator), r.values) for r in self.match_expressions)
        )


class Scope(Section):
    """The pods in scope: by namespace, label and scheduler name, all three at once."""

    namespaces: Namespaces = Field(default_factory=Namespaces)
    pod_selector: Selector = Field(default_factory=Selector)
    scheduler_names: tuple[str, ...] = ("bayplan-scheduler",)
