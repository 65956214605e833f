"""Volumes go where they can be attached, and nowhere while nobody knows."""

from typing import Any

from policies.values.pods import Pod
from policies.values.selectors import NodeSelectorTerm, Operator, Requirement
from policies.values.volumes import Claim, StorageClass, Volume
from tests.builders import make_node, make_pod
from tests.policies.feasibility.places import ZONE, closed, in_zone, occupied

NODES = [make_node("n2", labels={ZONE: "b"}), make_node("n3"), make_node("n4", labels={ZONE: "c"})]


def _closed(claim: Claim | None, *others: Pod, volume: Volume | None = None, **cluster: Any) -> dict[str, str]:
    pod = make_pod(claims=("data",))
    claims = {} if claim is None else {"default/data": claim}
    volumes = {} if volume is None else {volume.name: volume}
    return closed(pod, occupied(NODES, [pod, *others], claims=claims, volumes=volumes, **cluster))


def _claim(**changes: Any) -> Claim:
    return Claim(**({"namespace": "default", "name": "data", "volume": "pv"} | changes))


def test_fc_016_volume_of_one_zone() -> None:
    volume = Volume(name="pv", node_terms=(in_zone("a"),))

    assert _closed(_claim(), volume=volume) == {"n2": "volumes: volume zone", "n4": "volumes: volume zone"}


def test_volume_bound_by_another_label() -> None:
    volume = Volume(name="pv", node_terms=(NodeSelectorTerm((Requirement("rack", Operator.EXISTS),)),))

    assert set(_closed(_claim(), volume=volume).values()) == {"volumes: volume node affinity"}


def test_fc_017_volume_that_every_node_reaches() -> None:
    shared = _claim(access_modes=frozenset({"ReadWriteMany"}))

    assert _closed(shared, volume=Volume(name="pv")) == {}


def test_claim_and_volume_that_were_not_read_fit_nowhere() -> None:
    assert set(_closed(None).values()) == {"volumes: claim not known"}
    assert set(_closed(_claim()).values()) == {"volumes: volume not known"}


def test_fc_017_unbound_claim_that_nobody_will_bind_there() -> None:
    unbound = _claim(volume=None, storage_class="slow")

    assert set(_closed(unbound).values()) == {"volumes: claim unbound"}
    assert set(_closed(unbound, storage_classes={"slow": StorageClass(name="slow")}).values()) == {
        "volumes: claim unbound"
    }


def test_fc_017_unbound_claim_goes_where_its_class_may_bind() -> None:
    unbound = _claim(volume=None, storage_class="fast")
    fast = StorageClass(name="fast", waits_for_first_consumer=True, allowed_topologies=(in_zone("b", "c"),))
    anywhere = StorageClass(name="fast", waits_for_first_consumer=True)

    assert _closed(unbound, storage_classes={"fast": fast}) == {"n3": "volumes: volume zone"}
    assert _closed(unbound, storage_classes={"fast": anywhere}) == {}


def test_unshared_volume_stays_where_another_pod_uses_it() -> None:
    once = _claim(access_modes=frozenset({"ReadWriteOnce"}))
    user = make_pod("web-1", node="n3", claims=("data",))
    waiting = make_pod("web-2", node=None, claims=("data",))

    shut = _closed(once, user, waiting, volume=Volume(name="pv"))

    assert shut == {"n2": "volumes: volume in use on another node", "n4": "volumes: volume in use on another node"}


def test_shared_volume_may_be_used_anywhere() -> None:
    many = _claim(access_modes=frozenset({"ReadWriteMany"}))

    assert _closed(many, make_pod("web-1", node="n3", claims=("data",)), volume=Volume(name="pv")) == {}
