"""How many pods a rule offers."""

import pytest

from policies.rules.ordering import could_ever_go
from policies.values.pods import Owner, Pod
from tests.builders import make_pod


@pytest.mark.parametrize(
    ("pod", "able"),
    [
        (make_pod(), True),
        (make_pod(owner=Owner("Job", "j")), True),
        (make_pod(owner=None), False),
        (make_pod(owner=Owner("DaemonSet", "d")), False),
        (make_pod(static=True), False),
        (make_pod(priority_class="system-node-critical"), False),
        (make_pod(priority=2_000_000_000), False),
    ],
    ids=["deployment", "job", "bare", "daemon", "static", "critical by class", "critical by priority"],
)
def test_who_could_ever_be_a_victim(pod: Pod, able: bool) -> None:  # noqa: FBT001  # a table's column
    assert could_ever_go(pod) is able
