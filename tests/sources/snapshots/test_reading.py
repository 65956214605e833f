"""Saved snapshots: what is written comes back, and what is wrong is told all at once with its place."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.values.clusters import Cluster
from policies.values.pods import Constraints, HostPort
from policies.values.records import Landing, Verification
from policies.values.standings import Confidence, NodeStanding
from policies.values.volumes import Attachment, CsiDriver, CsiNode, VolumeAttachment
from policies.values.workloads import WorkloadRef
from sources.snapshots.flaws import SnapshotErrors
from sources.snapshots.reading import parse_snapshot, read_snapshot
from sources.snapshots.snapshot import Snapshot
from sources.snapshots.writing import dump_snapshot, write_snapshot
from tests import strategies
from tests.builders import make_cluster, make_node, make_pod, make_workload
from tests.descheduler.builders import make_record

FILE = "cluster.json"


def small() -> Snapshot:
    standing = NodeStanding(node="n1", confidence=Confidence.FULL, scores={"cpu": 0.5}, filter_buoyancy=0.5)
    return Snapshot(
        cluster=make_cluster(
            [make_node()],
            [make_pod(disks=(Attachment("fast", "disk"),))],
            [make_workload()],
            csi_nodes={"n1": CsiNode(name="n1", attachable={"fast": 0}, drivers=frozenset({"fast"}))},
            csi_drivers={"fast": CsiDriver(name="fast", needed=True)},
            volume_attachments={"va": VolumeAttachment(name="va", node="n1", driver="fast", volume="pv")},
        ),
        records=(make_record(verification=Verification(landing=Landing.MOVED, after={"headroom": 0.5})),),
        standings={"n1": standing},
        use={"cpu": {"uid-web-0": 0.25}},
    )


def plain(**changes: Any) -> dict[str, Any]:
    return json.loads(dump_snapshot(small())) | changes  # type: ignore[no-any-return]  # JSON has no types


def flaws(given: object) -> list[str]:
    content = given if isinstance(given, bytes) else json.dumps(given).encode()
    with pytest.raises(SnapshotErrors) as caught:
        parse_snapshot(content, file=FILE)
    return [str(flaw) for flaw in caught.value.flaws]


def test_a_written_snapshot_reads_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / FILE

    write_snapshot(small(), path)

    assert read_snapshot(path) == small()
    assert path.stat().st_mode & 0o077 == 0


@given(strategies.clusters())
def test_every_cluster_reads_as_it_was(cluster: Cluster) -> None:
    snapshot = Snapshot(cluster=cluster)

    assert parse_snapshot(dump_snapshot(snapshot), file=FILE) == snapshot


def test_workloads_keep_their_names_as_keys() -> None:
    ref = WorkloadRef("Deployment", "default", "web")

    assert parse_snapshot(dump_snapshot(small()), file=FILE).cluster.workloads[ref].wanted == 3


def test_equal_constraints_are_one_object_again() -> None:
    pods = [make_pod(f"web-{at}", constraints=Constraints(host_ports=(HostPort(80),))) for at in range(2)]

    found = parse_snapshot(dump_snapshot(Snapshot(cluster=make_cluster([], pods))), file=FILE)

    first, second = found.cluster.pods.values()
    assert first.constraints is second.constraints


def test_nothing_is_left_behind_where_the_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()

    with pytest.raises(OSError, match=FILE):
        write_snapshot(small(), tmp_path / FILE)

    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_pipe_or_a_device_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / FILE
    os.mkfifo(pipe)

    with pytest.raises(OSError, match="seen no ordinary file; allowed is one, or a new name"):
        write_snapshot(small(), pipe)

    assert [path.is_fifo() for path in tmp_path.iterdir()] == [True]


def test_a_link_stays_one(tmp_path: Path) -> None:
    link, target = tmp_path / "latest.json", tmp_path / FILE
    link.symlink_to(target)

    for _again in range(2):
        write_snapshot(small(), link)

    assert link.is_symlink()
    assert read_snapshot(target) == small()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SnapshotErrors, match="cannot be read: No such file"):
        read_snapshot(tmp_path / FILE)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cluster.json: seen an empty file; allowed is a whole file of `bayplan snapshot save`"),
        (
            b" \n\n",
            "cluster.json: seen white space and nothing else; allowed is a whole file of `bayplan snapshot save`",
        ),
        (
            b"{",
            "cluster.json: ends in the middle, in line 1, column 2; allowed is a whole file of `bayplan snapshot save`",
        ),
        (gzip.compress(b""), "cluster.json: seen a gzip file; allowed is JSON: unpack it first"),
        ("{}".encode("utf-8-sig"), "cluster.json: seen a byte order mark; allowed is UTF-8 without one"),
        ("{}".encode("utf-16"), "cluster.json: seen UTF-16 or UTF-32; allowed is UTF-8"),
        (b"{}\xe9", "cluster.json: seen byte 0xe9 at 2, which is not UTF-8; allowed is JSON"),
        (b"{}\n\0", "cluster.json: line 2, column 1: seen '\\x00'; allowed is the end of the file"),
        (b"kind: Policy", "cluster.json: line 1, column 1: seen 'kind: Policy'; allowed is a value of JSON"),
        (b"{'kind': 1}", "cluster.json: line 1, column 2: seen \"'kind': 1}\"; allowed is a name in double quotes"),
        (b'{"kind" 1}', "cluster.json: line 1, column 9: seen '1}'; allowed is a colon"),
        (b"[1 2]", "cluster.json: line 1, column 4: seen '2]'; allowed is a comma, or the end of the list or object"),
        (b'["\\x"]', "cluster.json: line 1, column 3: seen '\\\\x\"]'; allowed is an escape of JSON"),
        (b"[" * 100_000, "cluster.json: nested too deeply; allowed is a saved snapshot"),
        (
            b'{"kind": "Snapshot", "version": 1, "now": 1, "nodes": ' + b"[" * 150 + b"]" * 150 + b"}",
            "cluster.json: nested too deeply; allowed is a saved snapshot",
        ),
        (
            b'{"kind": "Snapshot", "version": 1, "now": 1' + b"0" * 5000 + b"}",
            f"cluster.json: seen a whole number of over 4300 digits; allowed is {-(2**62)} to {2**62}",
        ),
        (b"[]", "cluster.json: seen a list of 0; allowed is an object, a saved snapshot"),
        (b"{}", "cluster.json: kind: seen nothing; allowed is 'Snapshot'"),
        (b'{"kind": "List"}', "cluster.json: kind: seen 'List'; allowed is 'Snapshot'"),
        (b'{"kind": "Snapshot", "version": 2}', "cluster.json: version: seen 2; allowed is 1"),
        (b'{"kind": "Snapshot", "version": true}', "cluster.json: version: seen True; allowed is 1"),
    ],
)
def test_another_file_is_refused_with_one_reason(content: bytes, message: str) -> None:
    assert flaws(content) == [message]


@given(st.integers(0))
def test_a_file_that_was_cut_off_anywhere_is_told_once_and_never_read(keep: int) -> None:
    whole = dump_snapshot(small()).strip()
    cut = whole[: keep % len(whole)]

    (flaw,) = flaws(cut)

    assert flaw.startswith("cluster.json: ")
    assert "; allowed is " in flaw
    assert "Expecting" not in flaw


def test_members_given_twice_are_told_with_their_place() -> None:
    text = json.dumps(plain())
    twice = text.replace('"name": "n1"', '"name": "n0", "name": "n1"', 1).replace('"now"', '"now": 1, "now"')

    assert flaws(twice.encode()) == [
        "cluster.json: now: seen twice or more; allowed is once",
        "cluster.json: nodes[0].name: seen twice or more; allowed is once",
    ]


def test_half_a_surrogate_pair_is_told_with_its_place() -> None:
    given = plain(unreadable={"kind": "\ud800", "\udc00": ""})

    assert flaws(given) == [
        r"cluster.json: unreadable: seen half a surrogate pair in '\udc00'; allowed is Unicode text",
        r"cluster.json: unreadable.kind: seen half a surrogate pair in '\ud800'; allowed is Unicode text",
    ]


def test_requests_below_nothing_are_named_by_pod_and_resource() -> None:
    given = plain()
    given["pods"][0]["requests"]["amounts"]["cpu"] = -500
    given["nodes"][0]["allocatable"]["amounts"]["cpu"] = -500  # what a kubelet's reserves may leave

    assert flaws(given) == ["cluster.json: pods[0].requests.amounts.cpu: seen -500; allowed is 0 or more"]


@pytest.mark.parametrize("odd", [3, [3], [{"requests": 3}], [{"requests": {"amounts": 3}}]])
def test_whatever_stands_for_pods_is_told_once(odd: object) -> None:
    assert all(flaw.startswith("cluster.json: pods") for flaw in flaws(plain(pods=odd)))


def test_every_flaw_is_told_with_its_place() -> None:
    given = plain(now="noon", use={"cpu": {"a": float("nan")}}, colour=1)
    given["pods"][0] |= {"phase": "Odd", "size": 3, "grace_seconds": None}
    given["pods"][0]["requests"]["amounts"] = {"cpu": "1", "memory": 2**63}
    given["pods"][0]["constraints"]["odd"] = 1
    given["nodes"] *= 2
    given["standings"] = [{"node": "n1"}]
    given["records"] = 5
    del given["pods"][0]["name"]

    found = flaws(given)

    assert {flaw.partition(";")[0] for flaw in found} == {
        "cluster.json: now: seen 'noon'",
        "cluster.json: use.cpu.a: seen nan",
        "cluster.json: colour: seen a member that is not known",
        "cluster.json: pods[0].phase: seen 'Odd'",
        "cluster.json: pods[0].size: seen a member that is not known",
        "cluster.json: pods[0].grace_seconds: seen None",
        "cluster.json: pods[0].requests.amounts.cpu: seen '1'",
        "cluster.json: pods[0].requests.amounts.memory: seen 9223372036854775808",
        "cluster.json: pods[0].constraints.odd: seen a member that is not known",
        "cluster.json: pods[0].name: seen nothing",
        "cluster.json: nodes: seen n1 2 times",
        "cluster.json: standings[0].confidence: seen nothing",
        "cluster.json: records: seen 5",
    }
    assert (
        "cluster.json: pods[0].phase: seen 'Odd'; allowed is 'Pending', 'Running', 'Succeeded', 'Failed' or 'Unknown'"
        in found
    )


def test_an_unknown_member_is_answered_with_those_there_are() -> None:
    given = plain()
    given["pods"][0]["owner"]["colour"] = 1
    given["workloads"][0]["ref"]["colour"] = 1

    assert flaws(given) == [
        "cluster.json: pods[0].owner.colour: seen a member that is not known; allowed here: kind, name, uid",
        "cluster.json: workloads[0].ref.colour: seen a member that is not known; allowed here: kind, namespace, name",
    ]


def test_long_values_are_cut_in_messages() -> None:
    assert flaws(plain(now="x" * 200))[0] == f"cluster.json: now: seen '{'x' * 59}…; allowed is a number"


def test_a_doubled_workload_is_seen() -> None:
    given = plain()
    given["workloads"] *= 2

    assert flaws(given) == ["cluster.json: workloads: seen Deployment default web 2 times; allowed is once"]
