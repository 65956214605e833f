"""The names of a candidate's numbers in its record."""

from policies.rules.evidence import evidence, pod_scores_in


def test_a_pods_scores_come_back_out_of_its_record() -> None:
    written = evidence(node={"cpu": 1.1}, pod={"cpu": 0.3, "mbw": 0.2}, headroom=-0.1, slack=None)

    assert written == {"headroom": -0.1, "node.cpu": 1.1, "pod.cpu": 0.3, "pod.mbw": 0.2}
    assert pod_scores_in(written) == {"cpu": 0.3, "mbw": 0.2}
