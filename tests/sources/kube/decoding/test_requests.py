"""The scheduler's formula for requests (FC-062)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.values.resources import CPU, PODS
from sources.kube.decoding.requests import pod_requests


def container(cpu: str | None, name: str = "main", **more: Any) -> dict[str, Any]:
    return {"name": name, "resources": {"requests": {"cpu": cpu} if cpu else {}}} | more


def sidecar(cpu: str, name: str = "side") -> dict[str, Any]:
    return container(cpu, name, restartPolicy="Always")


def cpu_of(containers: list[Any], *, init: list[Any] | None = None, status: Any = None, **spec: Any) -> int:
    return pod_requests({"containers": containers, "initContainers": init, **spec}, status or {})[CPU]


@pytest.mark.parametrize(
    ("init", "containers", "expected"),
    [
        ([], ["500m", "500m"], 1000),
        ([container("2")], ["500m", "500m"], 2000),
        ([container("2"), container("3")], ["1"], 3000),
        ([sidecar("1")], ["1"], 2000),
        ([sidecar("1"), container("3")], ["1"], 4000),
        ([container("3"), sidecar("1")], ["1"], 3000),
        ([sidecar("1"), container("500m"), sidecar("2"), container("2")], ["1"], 5000),
        ([], [None], 0),
    ],
    ids=["sum", "init peak", "largest init", "sidecar adds", "init after it", "init before it", "mixed", "none"],
)
def test_containers_add_up_and_init_containers_peak(init: list[Any], containers: list[Any], expected: int) -> None:
    assert cpu_of([container(cpu) for cpu in containers], init=init) == expected


def test_fc_062_init_container_and_overhead_count() -> None:
    assert cpu_of([container("0.5"), container("0.5")], init=[container("2")], overhead={"cpu": "250m"}) == 2250


def granted(cpu: str, **more: Any) -> dict[str, Any]:
    return {"name": "main", "resources": {"requests": {"cpu": cpu}}, "allocatedResources": {"cpu": cpu}} | more


def test_fc_062_unfinished_resize_counts_what_is_still_held() -> None:
    assert cpu_of([container("500m")], status={"containerStatuses": [granted("1500m")]}) == 1500


def test_resize_upwards_counts_what_is_wanted() -> None:
    assert cpu_of([container("2")], status={"containerStatuses": [granted("1")]}) == 2000


def test_infeasible_resize_counts_what_is_held() -> None:
    infeasible = {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}

    assert cpu_of([container("9")], status={"containerStatuses": [granted("1")], "conditions": [infeasible]}) == 1000


def test_status_without_amounts_or_of_another_container_counts_nothing() -> None:
    statuses = [{"name": "main"}, granted("8", name="other")]

    assert cpu_of([container("1")], status={"containerStatuses": statuses}) == 1000


def test_resized_sidecar_counts_what_it_holds() -> None:
    status = {"initContainerStatuses": [granted("2", name="side")]}

    assert cpu_of([container("1")], init=[sidecar("1")], status=status) == 3000


def test_pod_level_requests_replace_the_sum_for_what_they_name() -> None:
    spec = {"containers": [container("1")], "resources": {"requests": {"cpu": "3", "example.com/gpu": "1"}}}

    assert pod_requests(spec, {}).amounts == {CPU: 3000, PODS: 1}


def test_every_pod_takes_one_slot() -> None:
    assert pod_requests({"containers": []}, {}).amounts == {PODS: 1}


_cpus = st.integers(0, 10**6).map(lambda milli: f"{milli}m")


@given(st.lists(_cpus, min_size=1, max_size=4), st.lists(st.tuples(_cpus, st.booleans()), max_size=4))
def test_request_is_never_below_any_moment_of_the_pods_life(main: list[str], init: list[tuple[str, bool]]) -> None:
    starting = [sidecar(cpu) if stays else container(cpu) for cpu, stays in init]
    total = cpu_of([container(cpu) for cpu in main], init=starting)

    amounts = [(int(cpu[:-1]), stays) for cpu, stays in init]
    sidecars = 0
    for cpu, stays in amounts:
        assert total >= sidecars + cpu
        sidecars += cpu if stays else 0
    assert total >= sidecars + sum(int(cpu[:-1]) for cpu in main)
