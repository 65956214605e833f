"""The demonstration's policy is the preset, and says where it is not."""

import difflib

from bayplan import presets
from demo import stage
from demo.feeding import LATENCY
from demo.workloads import FRONTEND, SCHEDULER
from policies.model.loading import load

TEXT = stage.POLICY.read_text()
POLICY = load(TEXT, file="policy.yaml").policy
PRESET = presets.text("kubelet-psi")


def body(text: str) -> list[str]:
    """Return the lines from the first key on."""
    return text[text.index("apiVersion:") :].splitlines()


def test_every_difference_from_the_preset_says_that_it_is_one() -> None:
    own, shipped = body(TEXT), body(PRESET)
    changes = difflib.SequenceMatcher(None, shipped, own, autojunk=False).get_opcodes()
    silent = [
        own[start:end]
        for kind, _, _, start, end in changes
        # A query may go over several lines; what is said of it stands above it.
        if kind != "equal" and "Demo:" not in "".join(own[max(0, start - 4) : end])
    ]

    assert not silent


def test_policy_differs_from_the_preset_where_it_says_so_only() -> None:
    shipped = load(PRESET, file="kubelet-psi.yaml").policy

    assert POLICY.eviction.limits == shipped.eviction.limits
    assert POLICY.eviction.consecutive == shipped.eviction.consecutive
    assert POLICY.steering == shipped.steering
    assert POLICY.signals.resources["memory"] == shipped.signals.resources["memory"]
    assert POLICY.signals.resources["io"] == shipped.signals.resources["io"]
    assert (shipped.eviction.mode, POLICY.eviction.mode) == ("observe", "enforce")


def test_objective_is_about_what_the_exporter_shows() -> None:
    (slo,) = POLICY.slos

    assert LATENCY in slo.indicator
    assert slo.selector.match_labels == {"app": FRONTEND.name}
    assert SCHEDULER in POLICY.scope.scheduler_names


def test_address_of_prometheus_is_put_in_once() -> None:
    text = stage.policy("http://127.0.0.1:1234")

    assert load(text, file="policy.yaml").policy.signals.prometheus.url == "http://127.0.0.1:1234"
    changed = [pair for pair in zip(TEXT.splitlines(), text.splitlines(), strict=True) if pair[0] != pair[1]]
    assert len(changed) == 1


def test_shipped_scheduler_configuration_is_used_with_another_address_only() -> None:
    used = stage.scheduler_configuration("http://127.0.0.1:99/v1")

    (entry,) = used["extenders"]
    assert entry["urlPrefix"] == "http://127.0.0.1:99/v1"
    assert (entry["weight"], entry["ignorable"], entry["httpTimeout"]) == (4, True, "500ms")
    assert [profile["schedulerName"] for profile in used["profiles"]] == [SCHEDULER]
