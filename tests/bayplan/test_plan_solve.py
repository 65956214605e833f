"""`bayplan plan solve`: a whole attempt on a saved snapshot, what it prints, and how it fails."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bayplan.cli import main
from bayplan.exits import Exit
from sources.snapshots.masking import mask
from sources.snapshots.snapshot import Snapshot
from sources.snapshots.writing import write_snapshot
from tests.descheduler.planning.problems.paper import paper_cluster

POLICY = """
apiVersion: bayplan.dev/v1alpha1
kind: Policy
plan: {solver: repaired, timeLimit: 5s, eviction: {minReadyReplicas: 0, minPodAge: 0s}}
"""


@pytest.fixture
def policy(tmp_path: Path) -> str:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY)
    return str(path)


@pytest.fixture
def snapshot(tmp_path: Path) -> str:
    path = tmp_path / "paper.json"
    write_snapshot(Snapshot(cluster=paper_cluster()), path)
    return str(path)


def run(*arguments: str) -> Result:
    return CliRunner(env={"KUBECONFIG": None, "BAYPLAN_POLICY": None}).invoke(main, ["plan", "solve", *arguments])


def solved(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--output", "json")
    assert result.exit_code == Exit.OK, result.output
    return json.loads(result.stdout)  # type: ignore[no-any-return]  # JSON has no types


@pytest.mark.parametrize("solver", ["bayplan", "repaired"])
def test_the_papers_example_is_solved_and_explained(snapshot: str, policy: str, solver: str) -> None:
    found = solved(snapshot, "--policy", policy, "--solver", solver)

    assert [(step["action"], step["pod"], step["from"], step["to"]) for step in found["plan"]] == [
        ("move", "default/pod3", "n2", "n1"),
        ("place", "default/pod4", None, "n2"),
    ]
    assert found["proof"] == "improved-proven"
    assert [(row["name"], row["plan"], row["nothing"]) for row in found["vector"]] == [
        ("V[0]", 0, 0),
        ("U[0]", 0, 1),
        ("D", 1, 0),
    ]
    assert [(point["price"], point["placed"], point["disruptions"]) for point in found["curve"]] == [
        (3, 1, 1),
        (6, 1, 1),
        (12, 1, 1),
        ("any", 1, 1),
    ]


def test_the_table_names_destinations_and_reasons(snapshot: str, policy: str) -> None:
    printed = run(snapshot, "--policy", policy, "--no-curve").stdout

    assert "default/pod3 │ n2   │ n1" in printed
    assert "fits on n2 once default/pod3 left it" in printed
    assert "doing nothing" in printed
    assert printed.endswith("improved, and proven that nothing is better\n")


def test_in_a_pipe_no_name_is_cut_and_on_a_narrow_terminal_it_is_folded(snapshot: str, policy: str) -> None:
    arguments = ["plan", "solve", snapshot, "--policy", policy, "--no-curve"]
    wide = CliRunner(env={"COLUMNS": None}).invoke(main, arguments).stdout
    narrow = CliRunner(env={"COLUMNS": "50"}).invoke(main, arguments).stdout

    assert "makes room on n2 for default/pod4, and fits on n1\n" in wide
    assert "…" not in wide
    assert all(name in narrow for name in ("default/po", "d3", "d4"))
    assert "default/…" not in narrow


def test_the_largest_seed_and_price_are_solved(snapshot: str, policy: str) -> None:
    largest = str(2**31 - 1)

    found = solved(
        snapshot, "--policy", policy, "--solver", "bayplan", "--seed", largest, "--price", largest, "--no-curve"
    )

    assert len(found["plan"]) == 2


def test_a_price_beyond_measure_in_a_policy_is_any_price(snapshot: str, policy: str) -> None:
    Path(policy).write_text(POLICY.replace("solver: repaired", f"price: {10**12}"))

    assert len(solved(snapshot, "--policy", policy, "--no-curve")["plan"]) == 2


def test_the_command_line_goes_before_the_policy(snapshot: str, policy: str) -> None:
    found = solved(
        snapshot, "--policy", policy, "--solver", "released", "--price", "any", "--order", "frozen", "--no-curve"
    )

    assert found["solver"] == "released"
    assert [row["name"] for row in found["vector"]][-1] == "D[0]"
    assert found["curve"] == []


def test_without_a_policy_rails_have_their_defaults(snapshot: str) -> None:
    found = solved(snapshot, "--solver", "repaired", "--no-curve")

    assert (found["plan"], found["fixed"]) == ([], {"ready-floor": 3})
    assert found["waiting"] == ["default/pod4"]
    assert found["why"] == "proven that nothing is better than doing nothing"


def test_a_masked_snapshot_gives_the_same_plan_under_other_names(tmp_path: Path, snapshot: str, policy: str) -> None:
    masked = tmp_path / "masked.json"
    write_snapshot(mask(Snapshot(cluster=paper_cluster()), salt="s"), masked)

    plain, other = (solved(path, "--policy", policy, "--no-curve") for path in (snapshot, str(masked)))

    assert other["vector"] == plain["vector"]
    assert [step["action"] for step in other["plan"]] == [step["action"] for step in plain["plan"]]
    assert "pod3" not in masked.read_text()


def test_a_file_that_is_no_snapshot_ends_with_every_fault(tmp_path: Path, policy: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text('{"kind": "Snapshot", "version": 1, "now": "noon", "pods": 1}')

    result = run(str(path), "--policy", policy)

    assert result.exit_code == Exit.BAD_SNAPSHOT
    assert result.stderr == (
        f"{path}: now: seen 'noon'; allowed is a number\n{path}: pods: seen 1; allowed is a list\n"
    )


def test_an_invalid_policy_ends_with_its_errors(tmp_path: Path, snapshot: str) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("apiVersion: bayplan.dev/v1alpha1\nkind: Policy\nplan: {price: much}\n")

    result = run(snapshot, "--policy", str(path))

    assert result.exit_code == Exit.BAD_POLICY
    assert f"{path}:3: plan.price" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "seen neither a SNAPSHOT nor --live; allowed is either a SNAPSHOT or --live"),
        (("FILE", "--live"), "seen both a SNAPSHOT and --live; allowed is either a SNAPSHOT or --live"),
        (("FILE", "--price", "-1"), "allowed is a whole number of 0 to 2147483647, or any"),
        (("FILE", "--price", "2147483648"), "allowed is a whole number of 0 to 2147483647, or any"),
        (("FILE", "--seed", "-1"), "-1 is not in the range 0<=x<=2147483647"),
        (("FILE", "--seed", "2147483648"), "not in the range 0<=x<=2147483647"),
        (("FILE", "--price", "much"), "seen 'much'"),
        (("FILE", "--time-limit", "0s"), "allowed is more than 0s"),
        (("FILE", "--solver", "command"), "seen --solver command and a policy without plan.command"),
        (("nowhere.json",), "does not exist"),
    ],
)
def test_a_wrong_command_line_says_what_is_allowed(snapshot: str, arguments: tuple[str, ...], text: str) -> None:
    result = run(*(snapshot if argument == "FILE" else argument for argument in arguments))

    assert result.exit_code == Exit.USAGE
    assert text in " ".join(result.stderr.replace("│", " ").split())


def test_without_or_tools_the_error_says_how_to_get_it(snapshot: str) -> None:
    code = (
        "import sys; sys.modules['ortools'] = None\n"
        "from bayplan.cli import main\n"
        f"main(['plan', 'solve', {snapshot!r}, '--solver', 'repaired'])\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=False)

    assert done.returncode == Exit.USAGE
    assert "pip install '.[optimiser]'" in done.stderr


def test_a_live_cluster_that_cannot_be_reached_ends_with_its_code(tmp_path: Path) -> None:
    nowhere = tmp_path / "kubeconfig"
    nowhere.write_text("apiVersion: v1\nkind: Config\n")

    assert run("--live", "--kubeconfig", str(nowhere)).exit_code == Exit.UNREACHABLE
