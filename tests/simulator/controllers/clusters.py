"""Clusters with controllers, and what tests of these do to them."""

from simulator.api_server import ApiServer
from simulator.clock import ManualClock
from simulator.controllers.nodes import Kubelets
from simulator.controllers.standard import standard_controllers
from simulator.jsons import Raw

MERGE = "application/merge-patch+json"
APPS = "/apis/apps/v1/namespaces/default"


def cluster(clock: ManualClock, node: str | None = "n2", **options: float) -> ApiServer:
    kubelets = Kubelets(start_after=options.pop("start_after", 0.0))
    return ApiServer(clock, controllers=standard_controllers(lambda _: node, kubelets=kubelets), **options)


def pods(api: ApiServer) -> dict[str, Raw]:
    return {pod["metadata"]["name"]: pod for pod in api.all("pods")}


def evict(api: ApiServer, name: str) -> None:
    api.request("POST", f"/api/v1/namespaces/default/pods/{name}/eviction", body={"metadata": {"name": name}})


def found(api: ApiServer, plural: str, name: str) -> Raw:
    raw = api.find(plural, name)
    assert raw is not None
    return raw


def patch(api: ApiServer, path: str, change: Raw) -> None:
    api.request("PATCH", f"{APPS}/{path}", body=change, content_type=MERGE)
