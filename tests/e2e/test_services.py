"""The processes themselves: they become ready, show their pages, take a changed policy, and end in order."""

from controlplane.waiting import wait_until
from launching.paths import LEASES
from tests.e2e.scenes import Scene
from tests.e2e.services import Services, preset


def test_both_services_become_ready_and_end_in_order(scene: Scene, services: Services) -> None:
    (node,) = scene.nodes(1)
    scene.pod("web")
    scene.wait_bound("web")
    nowhere = {"prometheus": {"url": "http://127.0.0.1:9"}}
    policy = preset("kubelet-psi", signals=nowhere, scope={"schedulerNames": ["default-scheduler"]})

    with services.extender(policy, on=node) as extender, services.descheduler(policy) as descheduler:
        assert extender.nodes(f"{scene.namespace}/web")[node]["verdict"] == "feasible"
        assert descheduler.readyz()["mode"] == "observe"
        assert extender.metric("bayplan_extender_policy") == 1
        assert services.plane.admin.find(f"{LEASES}/bayplan-extender-{extender.name}") is not None

        before = extender.readyz()["policyHash"]
        extender.use(preset("cautious", signals=nowhere))
        wait_until(lambda: extender.readyz()["policyHash"] != before, "the changed policy", timeout=20)

        extender.program.stop()
        descheduler.program.stop()
    assert "Traceback" not in extender.program.tail(10_000)
    assert "Traceback" not in descheduler.program.tail(10_000)
