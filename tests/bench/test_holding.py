"""The stub that stands for the extender where ways of holding are compared."""

import pytest

from bench.holding.stub import HELD, Stub, pin

NAMES = ["n1", "n2", "n3"]


def asked(*, held: bool) -> dict[str, object]:
    """Return a filter call."""
    labels = {HELD: "true"} if held else None
    return {"Pod": {"metadata": {"name": "web-0", "labels": labels}}, "NodeNames": NAMES}


def test_a_held_pod_is_refused_everywhere_and_others_nowhere() -> None:
    stub = Stub()

    held, other = stub.filter(asked(held=True)), stub.filter(asked(held=False))

    assert (held["NodeNames"], set(held["FailedAndUnresolvableNodes"])) == ([], set(NAMES))
    assert (other["NodeNames"], other["FailedAndUnresolvableNodes"]) == (NAMES, {})
    assert stub.counts == {"held": 1, "other": 1}


@pytest.mark.parametrize("offered", [NAMES, ["n3", "n1", "n2"]])
def test_a_released_pod_goes_to_one_node_whatever_the_order(offered: list[str]) -> None:
    stub = Stub()
    stub.holding = False
    call = asked(held=True) | {"NodeNames": offered}

    assert stub.filter(call)["NodeNames"] == [pin({"metadata": {"name": "web-0"}}, NAMES)]
