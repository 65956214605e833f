"""The control plane itself: what later tests rely on is seen to be real."""

import pytest

from controlplane import configs, objects
from controlplane.api import ApiRefusedError
from controlplane.building import Binaries
from controlplane.clusters import ControlPlane, Options
from controlplane.observing import Observer, evicted
from controlplane.processes import ProgramError
from controlplane.waiting import never, wait_until
from tests.e2e.scenes import Scene, is_ready, node_of, summary


def test_stock_scheduler_binds_a_pod_to_a_node_that_kwok_plays(scene: Scene) -> None:
    nodes = scene.nodes(2)

    scene.pod("web")

    assert scene.wait_bound("web") in nodes


def test_pod_that_fits_nowhere_stays_pending_with_an_event(scene: Scene) -> None:
    scene.nodes(1, objects.NodeShape(cpu="1"))

    scene.pod("huge", objects.PodShape(cpu="2"))

    (event,) = wait_until(lambda: scene.events("FailedScheduling"), "an event on the pod")
    assert "Insufficient cpu" in event["message"]


def test_replicas_of_a_deployment_become_ready(scene: Scene) -> None:
    nodes = scene.nodes(3)

    pods = scene.deployment("web", 3)

    assert {node_of(pod) for pod in pods} <= set(nodes)


def test_pod_can_stay_unready_and_a_job_can_run_or_complete(scene: Scene) -> None:
    scene.nodes(1)
    scene.create(objects.job("works", shape=scene.here()))
    scene.create(objects.job("done", shape=scene.here(objects.PodShape(annotations=objects.COMPLETES))))
    scene.pod("starting", objects.PodShape(annotations=objects.UNREADY))

    wait_until(
        lambda: (
            {
                pod["metadata"]["labels"]["app"]: pod["status"]["phase"]
                for pod in scene.pods()
                if pod["status"]["phase"] != "Pending"
            }
            == {"works": "Running", "done": "Succeeded", "starting": "Running"}
        ),
        "all three to run or end",
        seen=lambda: [summary(pod) for pod in scene.pods()],
    )

    assert not is_ready(scene.pods("starting")[0])
    assert is_ready(scene.pods("works")[0])


def test_evicted_pod_takes_its_grace_period_to_end(scene: Scene, pod_observer: Observer) -> None:
    scene.nodes(1)
    scene.deployment("slow", 1, objects.PodShape(spec={"terminationGracePeriodSeconds": 3}))
    (pod,) = scene.pods("slow")

    assert scene.evict(pod["metadata"]["name"]) == 201

    never(pod_observer.deleted, "the end of the pod", during=1.5)
    (ended,) = wait_until(pod_observer.deleted, "the end of the pod")
    assert ended["metadata"]["name"] == pod["metadata"]["name"]


def test_address_of_a_node_is_kept(scene: Scene) -> None:
    (name,) = scene.nodes(1, objects.NodeShape(address="10.1.2.3"))

    addresses = scene.api.get(f"/api/v1/nodes/{name}")["status"]["addresses"]

    assert {"type": "InternalIP", "address": "10.1.2.3"} in addresses


def test_start_that_fails_says_why_and_leaves_nothing(binaries: Binaries) -> None:
    broken = ControlPlane(binaries, Options(apiserver_flags=("--no-such-flag",)))

    with pytest.raises(ProgramError, match=r"(?s)kube-apiserver ended with 1 before it was ready:.*unknown flag"):
        broken.__enter__()

    assert broken.programs == {}
    assert not broken.run.folder.exists()


def test_status_of_a_disruption_budget_is_live(scene: Scene) -> None:
    scene.nodes(1)
    scene.create(objects.pdb("web", app="web", minAvailable=2))
    path = f"/apis/policy/v1/namespaces/{scene.namespace}/poddisruptionbudgets/web"

    scene.deployment("web", 3)

    status = wait_until(
        lambda: found if (found := scene.api.get(path)["status"]).get("disruptionsAllowed") else {},
        "an allowed disruption",
        seen=lambda: scene.api.get(path)["status"],
    )
    assert {name: status[name] for name in ("currentHealthy", "desiredHealthy", "disruptionsAllowed")} == {
        "currentHealthy": 3,
        "desiredHealthy": 2,
        "disruptionsAllowed": 1,
    }


def test_evicted_pod_is_replaced_and_both_records_tell_of_it(scene: Scene, pod_observer: Observer) -> None:
    scene.nodes(2)
    first, second = scene.deployment("web", 2)
    name, uid = first["metadata"]["name"], first["metadata"]["uid"]

    assert scene.evict(name, uid=uid) == 201

    wait_until(pod_observer.deleted, "the evicted pod to go")
    kept = second["metadata"]["uid"]
    assert kept in {pod["metadata"]["uid"] for pod in scene.wait_ready("web", 2)}
    assert evicted(pod_observer.deleted()) == [name]
    assert [(request.name, request.code) for request in scene.evictions()] == [(name, 201)]


def test_eviction_against_a_disruption_budget_is_refused(scene: Scene) -> None:
    scene.nodes(1)
    scene.create(objects.pdb("web", app="web", maxUnavailable=0))
    (pod,) = scene.deployment("web", 1)

    assert scene.evict(pod["metadata"]["name"]) == 429

    assert [request.code for request in scene.evictions()] == [429]


def test_eviction_with_the_uid_of_another_pod_is_refused(scene: Scene) -> None:
    scene.nodes(1)
    (pod,) = scene.deployment("web", 1)

    assert scene.evict(pod["metadata"]["name"], uid="11111111-2222-3333-4444-555555555555") == 409


def test_service_account_has_the_rights_of_its_roles_and_no_others(scene: Scene, plane: ControlPlane) -> None:
    scene.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "reader"}})
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]
    group = "rbac.authorization.k8s.io"
    scene.create({"apiVersion": f"{group}/v1", "kind": "Role", "metadata": {"name": "reader"}, "rules": rules})
    subject = {"kind": "ServiceAccount", "name": "reader", "namespace": scene.namespace}
    role = {"apiGroup": group, "kind": "Role", "name": "reader"}
    binding = {"metadata": {"name": "reader"}, "subjects": [subject], "roleRef": role}
    scene.create({"apiVersion": f"{group}/v1", "kind": "RoleBinding"} | binding)
    pods = f"/api/v1/namespaces/{scene.namespace}/pods"

    with plane.connect(plane.service_account_token(scene.namespace, "reader")) as reader:
        assert reader.items(pods) == []
        with pytest.raises(ApiRefusedError, match="nodes is forbidden"):
            reader.items("/api/v1/nodes")


def test_kubectl_speaks_to_the_server(scene: Scene, plane: ControlPlane) -> None:
    made = plane.kubectl(
        "apply",
        "-n",
        scene.namespace,
        "-f",
        "-",
        given='{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "given"}}',
    )

    assert made == "configmap/given created\n"


def test_second_scheduler_serves_its_own_name_and_can_be_paused(scene: Scene, plane: ControlPlane) -> None:
    nodes = scene.nodes(1)
    second = plane.start_scheduler("second", configs.without_extender(["second-scheduler"]))
    shape = objects.PodShape(scheduler="second-scheduler")

    scene.pod("before", shape)
    scene.wait_bound("before")
    second.pause()
    scene.pod("during", shape)
    never(lambda: node_of(scene.pods("during")[0]), "a binding by a paused scheduler", during=1)
    second.resume()

    assert scene.wait_bound("during") in nodes

    plane.stop_scheduler("second")


def test_two_control_planes_run_side_by_side(scene: Scene, binaries: Binaries, plane: ControlPlane) -> None:
    scene.nodes(1)

    with ControlPlane(binaries, Options(nodes=1, scheduler=configs.without_extender())) as other:
        other.admin.create("/api/v1/namespaces", {"metadata": {"name": "elsewhere"}})
        ours, theirs = (
            {node["metadata"]["name"] for node in one.admin.items("/api/v1/nodes")} for one in (plane, other)
        )
        ended = [program.pid for program in other.programs.values()]

    assert theirs == {"node-1"}
    assert not ours & theirs
    assert plane.admin.find("/api/v1/namespaces/elsewhere") is None
    assert plane.programs["kube-apiserver"].running
    assert len(ended) == 5
    assert not other.run.folder.exists()


def test_scheduling_goes_on_after_the_api_server_was_killed(scene: Scene, plane: ControlPlane) -> None:
    nodes = scene.nodes(1)
    server = plane.programs["kube-apiserver"]

    server.kill()
    server.start()
    server.wait_ready()
    scene.pod("web")

    assert scene.wait_bound("web") in nodes
