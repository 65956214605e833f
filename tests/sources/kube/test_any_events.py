"""Whatever happens to the objects, the connections and the rights: a watch is right, or says that it may not be."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from policies.values import kinds as names
from policies.values.clusters import Cluster
from simulator.failures import Failure
from simulator.faults import After, Before, Fail, LostAnswer, LostRequest
from simulator.jsons import Raw
from sources.kube.listing import list_cluster
from tests.raw import raw_node, raw_pdb, raw_pod
from tests.sources.kube.driven import WATCHED, Driven

# The silence after which a watch is broken off, the longest pause before the next try, and what its pages may take.
SETTLED_WITHIN: Final = 90.0 + 30.0 + 5.0
PLURALS: Final = ("nodes", "pods", "poddisruptionbudgets")
Step = Callable[[Driven], None]
REFUSED: Final = Fail(Failure(403, "Forbidden", "may not"))
TROUBLES: Final = (
    REFUSED,
    Fail(Failure(410, "Expired", "too old")),
    Fail(Failure(500, "InternalError", "etcd")),
    Fail(Failure(429, "TooManyRequests", "busy", retry_after=1)),
    LostRequest(),
    LostAnswer(),
)


def named(plural: str, number: int, version: int) -> Raw:
    """Return one of a few objects of a kind as one of its versions; the last version is malformed."""
    labels = {"v": str(version)}
    odd = version == 3
    if plural == "nodes":
        return raw_node(f"n{number}", labels=labels, patch={"status": {"allocatable": {"cpu": "many"}}} if odd else {})
    if plural == "pods":
        # An even and an odd version are two pods of one name.
        uid = {"uid": f"uid-{number}-{version % 2}"}
        patch: Raw = {"metadata": uid | {"labels": labels}} | ({"spec": {"containers": 7}} if odd else {})
        return raw_pod(f"web-{number}", node=f"n{number}", patch=patch)
    spec: Raw = {"spec": {"selector": {"matchLabels": ["x"]}}} if odd else {}
    return raw_pdb(f"b{number}", allowed=version, **spec)


def write(plural: str, number: int, version: int) -> Step:
    """Return a step that writes an object, over the one that is there or after its deletion."""
    raw = named(plural, number, version)

    def step(driven: Driven) -> None:
        meta = raw["metadata"]
        there = driven.server.find(plural, meta["name"])
        if there is not None and there["metadata"]["uid"] != meta["uid"]:
            driven.server.remove(plural, meta["name"])
        driven.server.put(raw)

    return step


def delete(plural: str, number: int, _version: int) -> Step:
    """Return a step that takes an object away where there is one."""
    name = named(plural, number, 0)["metadata"]["name"]

    def step(driven: Driven) -> None:
        if driven.server.find(plural, name) is not None:
            driven.server.remove(plural, name)

    return step


NUMBERS, VERSIONS = st.integers(0, 2), st.integers(0, 3)
# How each object is when the watch begins.
SCENES = st.dictionaries(st.tuples(st.sampled_from(PLURALS), NUMBERS), VERSIONS)
CHANGES = st.builds(
    lambda make, *what: make(*what),
    st.sampled_from((write, write, delete)),
    st.sampled_from(PLURALS),
    NUMBERS,
    VERSIONS,
)


def _changed(change: Step) -> Step:
    return lambda driven: driven.change(lambda: change(driven))


def _meanwhile(fault: Any, method: str, plural: str, change: Step) -> Step:
    """Return a step after which something happens just before a call of the watch, or just after it."""

    def step(driven: Driven) -> None:
        meant = fault(lambda: driven.change(lambda: change(driven)))
        driven.server.faults.add(meant, method=method, path=f"*/{plural}", user="watch")

    return step


def _in_trouble(fault: Any, method: str, plural: str, times: float) -> Step:
    return lambda driven: driven.server.faults.add(fault, method=method, path=f"*/{plural}", user="watch", times=times)


def _to_watches(plural: str, what: str) -> Step:
    return lambda driven: getattr(driven.server, what)(f"*/{plural}")


def _missed(change: Step) -> Step:
    """Return a step that happens while nobody hears it, and whose history is forgotten."""

    def step(driven: Driven) -> None:
        driven.server.freeze_watches()
        driven.change(lambda: change(driven))
        driven.server.compact()
        driven.server.break_watches()

    return step


PLURAL = st.sampled_from((*PLURALS, "*"))
METHOD = st.sampled_from(("GET", "WATCH", "*"))
STEPS = st.one_of(
    CHANGES.map(_changed),
    CHANGES.map(_changed),
    CHANGES.map(_missed),
    st.builds(_to_watches, PLURAL, st.sampled_from(("break_watches", "freeze_watches", "end_watches"))),
    st.builds(_meanwhile, st.sampled_from((Before, After)), METHOD, PLURAL, CHANGES),
    st.builds(_in_trouble, st.sampled_from(TROUBLES), METHOD, PLURAL, st.integers(1, 3)),
    st.builds(_in_trouble, st.just(REFUSED), METHOD, PLURAL, st.just(float("inf"))),
    st.just(lambda driven: driven.server.compact()),
    st.just(lambda driven: driven.server.faults.clear()),
    st.sampled_from((1.0, 10.0, 31.0, 61.0, 91.0, 200.0, 400.0)).map(lambda s: lambda driven: driven.pass_time(s)),
)


def check(driven: Driven) -> None:
    """Each object is as it was at some time since the watch was last sure, and the listener knows it so."""
    for kind in WATCHED:
        held, skipped = driven.watch.values(kind.name), driven.watch.skipped().get(kind.name, {})
        assert driven.heard[kind.name] == held
        if not driven.watch._reflectors[kind.name].synced:
            assert kind.name in driven.watch.snapshot().unreadable
            continue
        true = [state[kind.name] for state in driven.true_within(driven.watch._reflectors[kind.name].stale_for())]
        for key in {*held, *(key for state in true for key in state.values)}:
            assert held.get(key) in [state.values.get(key) for state in true], f"{kind.name} {key}"
        for name in {*skipped, *(name for state in true for name in state.skipped)}:
            assert skipped.get(name) in [state.skipped.get(name) for state in true], f"skipped {kind.name} {name}"
    assert not driven.unexplained


def settle(driven: Driven) -> None:
    """Heal everything and give the watches as long as they may take."""
    driven.server.faults.clear()
    driven.rest()
    until = driven.server.clock.monotonic() + SETTLED_WITHIN
    while driven.server.clock.monotonic() < until:
        driven.pass_time(SETTLED_WITHIN / 5)


def plain(cluster: Cluster) -> Cluster:
    """Return a cluster without its time and the order of what it lists."""
    pdbs = tuple(sorted(cluster.pdbs, key=lambda pdb: pdb.name))
    return replace(cluster, now=0.0, pdbs=pdbs, unreadable=dict.fromkeys(cluster.unreadable, ""))


@settings(max_examples=40)
@given(SCENES, st.lists(STEPS, max_size=14))
def test_a_watch_is_right_in_the_end_and_never_silently_wrong(
    scene: dict[tuple[str, int], int], steps: list[Step]
) -> None:
    driven = Driven(*(named(plural, number, version) for (plural, number), version in scene.items()))
    with driven.running():
        check(driven)
        for step in steps:
            step(driven)
            driven.rest()
            check(driven)
        settle(driven)

        check(driven)
        true = driven.truth()
        assert {kind.name: driven.watch.values(kind.name) for kind in WATCHED} == {
            name: listed.values for name, listed in true.items()
        }
        assert driven.watch.skipped() == {name: listed.skipped for name, listed in true.items() if listed.skipped}
        assert driven.watch.troubles() == {}
        fresh = list_cluster(driven.server.connect("truth"), kinds=WATCHED)
        assert plain(driven.watch.snapshot()) == plain(fresh)
        assert (names.PDBS in fresh.unreadable) == bool(true[names.PDBS].skipped)
