"""FC-049: a source that is not there at the start is a failure in words, and is used once it is there."""

from pathlib import Path
from typing import Any

from policies.model.prometheus import Prometheus
from sources.signals.opening import open_signals
from sources.signals.reader import Inventory
from tests.builders import make_node
from tests.sources.http_fake import HttpFake, Reply
from tests.sources.signals.source_fake import AT, policy_of

RANGE = "/api/v1/query_range"


def matrix(value: float) -> dict[str, Any]:
    """Return the answer to a range query with one node and one step."""
    series = {"metric": {"node": "n1"}, "values": [[AT - 15, str(value)], [AT, str(value)]]}
    return {"status": "success", "data": {"resultType": "matrix", "result": [series]}}


def test_fc_049_prometheus_and_its_token_may_come_after_the_start(server: HttpFake, tmp_path: Path) -> None:
    token = tmp_path / "token"
    policy = policy_of(cpu={"node": "use", "age": "age"})
    prometheus = Prometheus(url=server.url, bearer_token_file=str(token), timeout=2.0)
    policy = policy.model_copy(update={"signals": policy.signals.model_copy(update={"prometheus": prometheus})})
    reader = open_signals(policy, lambda: Inventory(nodes={"n1": make_node("n1")}))

    without_token = reader.history(AT, span=15.0)
    token.write_text("secret")
    server.script(RANGE, Reply(status=503, body={"status": "error", "error": "starting up"}))
    not_ready = reader.history(AT, span=15.0)
    server.script(RANGE, Reply(body=matrix(0.5)))
    at_last = reader.history(AT, span=15.0)
    reader.close()

    assert "token" in without_token.failures["cpu.node"]
    assert "503" in not_ready.failures["cpu.node"]
    assert without_token.resources["cpu"].node.objects == ()
    assert (at_last.failures, at_last.resources["cpu"].node.newest("n1")) == ({}, 0.5)
