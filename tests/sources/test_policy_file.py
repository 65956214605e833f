"""The policy file: what is replaced, what is kept, and what is said about it."""

import logging
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from policies.model.loading import Loaded
from policies.model.problems import PolicyErrors
from sources.policy_file import LARGEST, PolicyFile, read_policy

HEAD = "apiVersion: bayplan.dev/v1alpha1\nkind: Policy\n"
RESOURCES = "signals:\n  resources:\n    cpu: {node: a, age: b, pod: c, podAge: d}\n"
OTHER = "buoyancy: {filterBelow: 0.2}\n"
WRONG = "buoyancy: {filterBelow: high}\nmode: observe\n"
KEYS = "apiVersion, kind, scope, signals, slos, buoyancy, eviction, steering, plan"


@dataclass
class Hearer:
    """Records every policy it is told of, and fails on request."""

    hashes: list[str] = field(default_factory=list)
    fails: bool = False

    def __call__(self, loaded: Loaded) -> None:
        """Record the policy's hash."""
        if self.fails:
            raise RuntimeError("not now")
        self.hashes.append(loaded.hash)


@dataclass
class SetClock:
    """A clock that stands still."""

    time: float = 1000.0

    def now(self) -> float:
        """Return the set time."""
        return self.time

    def monotonic(self) -> float:
        """Return the set time."""
        return self.time


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "policy.yaml"
    file.write_text(HEAD + RESOURCES)
    return file


def test_of_a_flood_of_errors_the_first_fifty_are_logged(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = watched(path)
    path.write_text(HEAD + "".join(f"key{number}: 1\n" for number in range(60)))

    file.poll()

    assert len(caplog.records) == 51
    assert caplog.records[-1].message == "policy rejected: 10 more errors; `bayplan policy check` prints all"


def watched(path: Path, hearer: Hearer | None = None) -> PolicyFile:
    return PolicyFile(path, listener=hearer, clock=SetClock())


def test_valid_file_is_in_force_from_the_start(path: Path) -> None:
    assert watched(path).current.policy.buoyancy.filter_below == 0.1


def test_process_does_not_start_on_an_invalid_file(path: Path) -> None:
    path.write_text(HEAD + WRONG)

    with pytest.raises(PolicyErrors) as raised:
        watched(path)

    assert [str(problem) for problem in raised.value.problems] == [
        f"{path}:3: buoyancy.filterBelow: seen 'high' (text); allowed is a number",
        f"{path}:4: mode: unknown key; allowed here: {KEYS}",
    ]


def test_valid_change_takes_effect_and_is_told(path: Path) -> None:
    hearer = Hearer()
    file = watched(path, hearer)

    path.write_text(HEAD + RESOURCES + OTHER)
    changed = file.poll()

    assert (changed, file.reloaded, file.trouble) == (True, 1, None)
    assert file.current.policy.buoyancy.filter_below == 0.2
    assert hearer.hashes == [file.current.hash]


def test_unchanged_file_is_not_told_again(path: Path) -> None:
    hearer = Hearer()
    file = watched(path, hearer)

    assert not file.poll()
    assert hearer.hashes == []


def test_change_of_comments_alone_is_no_new_policy(path: Path) -> None:
    hearer = Hearer()
    file = watched(path, hearer)

    path.write_text("# for the night shift\n" + HEAD + RESOURCES)

    assert not file.poll()
    assert (hearer.hashes, file.reloaded) == ([], 0)


def test_invalid_change_keeps_the_old_policy_and_says_so_once(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    hearer = Hearer()
    file = watched(path, hearer)
    old = file.current

    path.write_text(HEAD + WRONG)
    with caplog.at_level(logging.ERROR):
        polls = [file.poll() for _ in range(3)]

    assert (polls, file.current, file.rejected, hearer.hashes) == ([False] * 3, old, 1, [])
    assert file.trouble == (
        f"policy {old.hash} kept since 1970-01-01T00:16:40Z, the file is invalid: "
        f"{path}:3: buoyancy.filterBelow: seen 'high' (text); allowed is a number and 1 more"
    )
    assert [record.getMessage() for record in caplog.records] == [
        f"policy rejected: {path}:3: buoyancy.filterBelow: seen 'high' (text); allowed is a number",
        f"policy rejected: {path}:4: mode: unknown key; allowed here: {KEYS}",
    ]


def test_trouble_ends_when_the_bad_change_is_taken_back(path: Path) -> None:
    file = watched(path)
    good = path.read_text()
    path.write_text(HEAD + WRONG)
    file.poll()

    path.write_text(good)

    assert not file.poll()
    assert (file.trouble, file.reloaded) == (None, 0)


def test_repaired_change_takes_effect(path: Path) -> None:
    file = watched(path)
    path.write_text(HEAD + WRONG)
    file.poll()

    path.write_text(HEAD + OTHER)

    assert file.poll()
    assert file.trouble is None


def test_config_map_swapped_by_symlink_is_seen(tmp_path: Path) -> None:
    for name, content in (("one", HEAD + RESOURCES), ("two", HEAD + RESOURCES + OTHER)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "policy.yaml").write_text(content)
    data = tmp_path / "..data"
    data.symlink_to("one")
    mounted = tmp_path / "policy.yaml"
    mounted.symlink_to("..data/policy.yaml")
    file = watched(mounted)

    (tmp_path / "..data_tmp").symlink_to("two")
    (tmp_path / "..data_tmp").rename(data)

    assert file.poll()
    assert file.current.policy.buoyancy.filter_below == 0.2


def test_vanished_file_keeps_the_policy(path: Path) -> None:
    file = watched(path)
    path.unlink()

    assert [file.poll(), file.poll()] == [False, False]
    assert file.rejected == 1
    assert file.trouble is not None
    assert file.trouble.endswith(f"{path}:1: cannot be read: No such file or directory")


def test_listener_that_fails_is_told_again_at_the_next_poll(path: Path) -> None:
    hearer = Hearer(fails=True)
    file = watched(path, hearer)
    path.write_text(HEAD + RESOURCES + OTHER)
    with pytest.raises(RuntimeError, match="not now"):
        file.poll()

    hearer.fails = False

    assert file.poll()
    assert hearer.hashes == [file.current.hash]


def test_watching_polls_until_told_to_stop(path: Path) -> None:
    stop = threading.Event()
    file = PolicyFile(path, listener=lambda _: stop.set())
    path.write_text(HEAD + OTHER)

    file.run(stop, every=0.001)

    assert file.reloaded == 1


def test_whoever_listens_later_is_told_of_later_changes(path: Path) -> None:
    file, hearer = watched(path), Hearer()

    file.listen(hearer)
    path.write_text(HEAD + RESOURCES + OTHER)
    file.poll()

    assert hearer.hashes == [file.current.hash]


def test_warnings_are_logged_with_their_place(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.write_text(HEAD)

    with caplog.at_level(logging.WARNING):
        watched(path)

    assert [record.getMessage() for record in caplog.records] == [
        f"policy: {path}:1: signals.resources: empty: nothing is measured, so every node's buoyancy is unknown"
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"kind: Policy\nname: \xff\n", ":2: byte 0xff is not UTF-8; allowed is YAML in UTF-8"),
        (b"#" * (LARGEST + 1), f":1: larger than the allowed {LARGEST} bytes"),
    ],
    ids=["not UTF-8", "too large"],
)
def test_unusable_bytes_are_an_error_with_a_place(path: Path, content: bytes, message: str) -> None:
    path.write_bytes(content)

    with pytest.raises(PolicyErrors) as raised:
        read_policy(path)

    assert str(raised.value) == f"{path}{message}"
