"""Whether a required affinity or anti-affinity term speaks of a pod; knows no node."""

from policies.values import kinds
from policies.values.clusters import Cluster
from policies.values.pods import Pod, PodTerm


def speaks_of(term: PodTerm, pod: Pod, cluster: Cluster, *, unknown: bool) -> bool:
    """Tell whether a term matches a pod by namespace and labels.

    `unknown` is the answer where it rests on the labels of a namespace and those could not be read.
    """
    if term.selector is None or not term.selector.matches(pod.labels):
        return False
    if pod.namespace in term.namespaces:
        return True
    if term.namespace_selector is None:
        return False
    if not term.namespace_selector.requirements:
        return True
    labels = cluster.namespace_labels.get(pod.namespace)
    if labels is None or kinds.NAMESPACES in cluster.unreadable:
        return unknown
    return term.namespace_selector.matches(labels)
