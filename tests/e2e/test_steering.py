"""Steering on a real control plane: a record keeps the replacement off the node that its predecessor was taken from."""

from controlplane.objects import Object
from controlplane.waiting import wait_until
from launching.paths import OWN, RECORDS
from policies.values.records import EvictionRecord
from policies.values.workloads import WorkloadRef
from sources.kube.records import encode_record
from tests.e2e.placing import Placing
from tests.e2e.scenes import node_of
from tests.e2e.services import Extender


def test_replacement_keeps_off_the_source_while_another_node_is_left(placing: Placing) -> None:
    source, other = placing.scene.nodes(2)
    placing.measure(source, cpu=0.1)
    placing.measure(other, cpu=0.6)
    extender = placing.start(placing.policy(), measured=2)
    (victim,) = placing.scene.deployment("web", 1, placing.shape())
    assert node_of(victim) == source  # the more buoyant one by far

    _record(placing, extender, victim)
    assert placing.scene.evict(victim["metadata"]["name"], uid=victim["metadata"]["uid"]) == 201
    (replacement,) = _replaced(placing, victim)

    assert node_of(replacement) == other
    # Another workload is not steered, and the last node that is left takes even one that is.
    assert placing.place("stranger") == source
    placing.scene.api.patch(f"/api/v1/nodes/{other}", {"spec": {"unschedulable": True}})
    assert placing.scene.evict(replacement["metadata"]["name"]) == 201
    (last,) = _replaced(placing, replacement)
    assert node_of(last) == source


def _record(placing: Placing, extender: Extender, victim: Object) -> None:
    """Write down the eviction of a pod of `web`, as the descheduler does before it evicts; wait until it is known."""
    uid = victim["metadata"]["uid"]
    record = EvictionRecord(
        name=uid,
        pod_uid=uid,
        pod=victim["metadata"]["name"],
        namespace=placing.scene.namespace,
        node=node_of(victim),
        rule="buoyancy",
        reason="a test's own",
        at=0.0,
        workload=WorkloadRef("Deployment", placing.scene.namespace, "web"),
    )
    placing.scene.api.create(RECORDS, encode_record(record, OWN))
    wait_until(lambda: extender.metric("bayplan_eviction_records", state="Intent") == 1, "the record to be known")


def _replaced(placing: Placing, gone: Object) -> list[Object]:
    """Wait until another pod of `web` stands in for one that is gone."""
    name = gone["metadata"]["name"]
    wait_until(lambda: name not in {pod["metadata"]["name"] for pod in placing.scene.pods("web")}, f"{name} to go")
    return placing.scene.wait_ready("web", 1)
