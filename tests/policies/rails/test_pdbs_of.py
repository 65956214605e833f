"""The PDBs of a pod are found by its labels: the same ones as if each were asked."""

from hypothesis import given
from hypothesis import strategies as st

from policies.rails.view import View
from policies.values.pdbs import Pdb
from policies.values.selectors import LabelSelector, Operator, Requirement
from tests.builders import make_cluster, make_pod

KEYS, VALUES, NAMESPACES = st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from(("one", "two"))


def requirements() -> st.SearchStrategy[Requirement]:
    some = st.lists(VALUES, min_size=1, max_size=3).map(tuple)
    listing = st.builds(Requirement, KEYS, st.sampled_from((Operator.IN, Operator.NOT_IN)), some)
    return listing | st.builds(Requirement, KEYS, st.sampled_from((Operator.EXISTS, Operator.DOES_NOT_EXIST)))


def selectors() -> st.SearchStrategy[LabelSelector | None]:
    return st.none() | st.lists(requirements(), max_size=2).map(lambda some: LabelSelector(tuple(some)))


@given(
    st.lists(st.tuples(NAMESPACES, selectors()), max_size=5),
    NAMESPACES,
    st.dictionaries(KEYS, VALUES),
)
def test_same_as_asking_each(
    drawn: list[tuple[str, LabelSelector | None]], namespace: str, labels: dict[str, str]
) -> None:
    pod = make_pod(namespace=namespace, labels=labels)
    pdbs = tuple(
        Pdb(namespace=within, name=f"pdb-{at}", selector=selector, disruptions_allowed=1)
        for at, (within, selector) in enumerate(drawn)
    )

    found = View(make_cluster(pods=[pod], pdbs=pdbs), ()).pdbs_of(pod)

    selecting = [pdb for pdb in pdbs if pdb.namespace == namespace and pdb.selector and pdb.selector.matches(labels)]
    assert sorted(map(str, found)) == sorted(map(str, selecting))


def test_a_pdb_for_each_of_a_thousand_workloads_is_not_asked_a_thousand_times() -> None:
    asked: list[str] = []

    class Asked(LabelSelector):
        """A selector that notes that it was asked."""

        def matches(self, labels: object) -> bool:
            asked.append(self.requirements[0].values[0])
            return super().matches(labels)  # type: ignore[arg-type]  # labels, as its parent takes them

    pdbs = tuple(
        Pdb(
            namespace="default",
            name=f"w{at}",
            selector=Asked((Requirement("app", Operator.IN, (f"w{at}",)),)),
            disruptions_allowed=1,
        )
        for at in range(1000)
    )
    pod = make_pod(workload="w7")

    assert [pdb.name for pdb in View(make_cluster(pods=[pod], pdbs=pdbs), ()).pdbs_of(pod)] == ["w7"]
    assert asked == ["w7"]
