"""What a resource's signal tells of itself."""

from policies.model.signals import ResourceSignal, Signals


def test_queries_are_those_that_are_given_by_field() -> None:
    signal = ResourceSignal(node="a", pod="b", pod_age="c")

    assert signal.queries() == {"node": "a", "pod": "b", "pod_age": "c"}


def test_pods_are_measured_by_a_query_or_by_metrics_server() -> None:
    with_query = Signals(resources={"cpu": ResourceSignal(node="a", pod="b"), "io": ResourceSignal(node="a")})
    without = Signals(source="metrics-server", resources={"cpu": ResourceSignal()})

    assert [with_query.measure_pods(name) for name in ("cpu", "io")] == [True, False]
    assert without.measure_pods("cpu")
