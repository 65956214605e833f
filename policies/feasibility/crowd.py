"""Bound pods found by what affinity terms say of them, without asking every pod; decides nothing."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from policies.feasibility.terms import speaks_of
from policies.values.clusters import Cluster
from policies.values.pods import Pod, PodTerm
from policies.values.selectors import Label, LabelSelector


@dataclass(slots=True)
class Group:
    """Pods of one namespace with equal labels: a term speaks of all of them or of none."""

    pods: list[Pod] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Opposition:
    """A required anti-affinity term and the pods that carry it."""

    term: PodTerm
    pods: tuple[Pod, ...]


class Crowd:
    """All bound pods, grouped, and the anti-affinity terms they carry, both indexed by the labels that matter."""

    def __init__(self, cluster: Cluster, pods: Iterable[Pod]) -> None:
        self._cluster = cluster
        self._groups: dict[object, Group] = {}
        self._by_label: dict[Label, list[Group]] = {}
        self._spoken_of: dict[PodTerm, tuple[Pod, ...]] = {}
        self._opposed: dict[Label | None, list[Opposition]] = {}
        everybody = tuple(pods)
        for pod in everybody:
            self._join(pod)
        for opposition in _oppositions(everybody):
            self._oppose(opposition)

    def add(self, pod: Pod) -> None:
        """Let one more pod stand there."""
        self._join(pod)
        self._spoken_of.clear()
        for term in pod.constraints.anti_affinity:
            self._oppose(Opposition(term, (pod,)))

    def spoken_of(self, term: PodTerm) -> tuple[Pod, ...]:
        """Return the pods a term speaks of; of a namespace whose labels are not known it does not."""
        return self._find(term, unknown=False)

    def feared_by(self, term: PodTerm) -> tuple[Pod, ...]:
        """Return the pods an anti-affinity term speaks of, or may speak of."""
        return self._find(term, unknown=True)

    def opposing(self, pod: Pod) -> Iterator[Opposition]:
        """Yield the anti-affinity of others that speaks of this pod, or may."""
        for label in (None, *pod.labels.items()):
            for opposition in self._opposed.get(label, ()):
                if speaks_of(opposition.term, pod, self._cluster, unknown=True):
                    yield opposition

    def _join(self, pod: Pod) -> None:
        # Labels in another order make another group of the same pods: that costs a look more and is right as well.
        key = (pod.namespace, *pod.labels.items())
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = Group()
            for label in pod.labels.items():
                self._by_label.setdefault(label, []).append(group)
        group.pods.append(pod)

    def _oppose(self, opposition: Opposition) -> None:
        for label in _needed_labels(opposition.term.selector) or (None,):
            self._opposed.setdefault(label, []).append(opposition)

    def _find(self, term: PodTerm, *, unknown: bool) -> tuple[Pod, ...]:
        if unknown and term.namespace_selector is not None:
            return self._search(term, unknown=True)
        if term not in self._spoken_of:
            self._spoken_of[term] = self._search(term, unknown=False)
        return self._spoken_of[term]

    def _search(self, term: PodTerm, *, unknown: bool) -> tuple[Pod, ...]:
        labels = _needed_labels(term.selector)
        groups = (group for label in labels for group in self._by_label.get(label, ()))
        candidates = groups if labels else iter(self._groups.values())
        spoken_of = (each for each in candidates if speaks_of(term, each.pods[0], self._cluster, unknown=unknown))
        return tuple(pod for group in spoken_of for pod in group.pods)


def _needed_labels(selector: LabelSelector | None) -> tuple[Label, ...]:
    return () if selector is None else selector.needed()


def _oppositions(pods: Iterable[Pod]) -> Iterator[Opposition]:
    """Yield each template's terms once, with all its pods: pods of one template share their constraints."""
    templates: dict[int, list[Pod]] = {}
    for pod in pods:
        if pod.constraints.anti_affinity:
            templates.setdefault(id(pod.constraints), []).append(pod)
    for members in templates.values():
        for term in members[0].constraints.anti_affinity:
            yield Opposition(term, tuple(members))
