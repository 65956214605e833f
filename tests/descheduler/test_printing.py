"""What a person and a program see of a single run."""

import io
import json

from rich.console import Console

from descheduler import printing
from descheduler.decisions import CycleResult
from descheduler.planning.results import Result
from policies.values.plans import Plan, PlanAction, PlanEntry, PlanPhase
from tests.descheduler.cycles import hot
from tests.descheduler.site import Site
from tests.raw import raw_pdb


def printed(result: CycleResult) -> str:
    """Return what a wide terminal shows."""
    console = Console(file=io.StringIO(), width=240)
    printing.print_table(result, console)
    assert isinstance(console.file, io.StringIO)
    return " ".join(console.file.getvalue().replace("│", " ").split())


def refusing() -> Site:
    """Return a cluster in which `web` is protected and `api` goes."""
    site = hot()
    site.server.put(raw_pdb("web", app="web", spec={"minAvailable": 3}))
    return site


def test_a_program_gets_every_decision_with_its_numbers() -> None:
    whole = json.loads(printing.as_json(refusing().process().run()))

    refused, evicted = whole["decisions"]
    assert (refused["decision"], refused["pod"], refused["rail"]) == ("refused", "default/web-0", "pdb")
    assert (evicted["decision"], evicted["pod"], evicted["destination"]) == ("evicted", "default/api-0", "n2")
    assert evicted["evidence"]["pod.cpu"] == 0.25
    assert (whole["mode"], whole["leading"], whole["troubles"]) == ("enforce", True, {})
    assert whole["summary"].startswith("1 of 2 evictable; mainly pdb (1): ")


def test_a_person_sees_victims_refusals_and_the_sum() -> None:
    text = printed(refusing().process().run())

    assert "refused buoyancy default/web-0 n1 - pdb: " in text
    assert "evicted buoyancy default/api-0 n1 n2 n1 has headroom -0.15" in text
    assert "enforce: 1 of 2 evictable" in text


def test_landings_and_troubles_have_lines_of_their_own() -> None:
    site = hot()
    process = site.process()
    process.run()
    site.measured()
    site.demands = {}
    site.signals.failed = {"cpu.node": "[timeout] of 5 s"}

    result = process.run(after=60)

    assert "default/web-0 from n1: Moved on n2" in printed(result)
    assert "no eviction (signal/cpu.node): [timeout] of 5 s" in printed(result)
    (landing,) = json.loads(printing.as_json(result))["landings"]
    assert (landing["landing"], landing["node"]) == ("Moved", "n2")


def test_a_workload_that_was_scaled_down_needs_no_replacement() -> None:
    site = hot()
    process = site.process()
    process.run()
    site.server.request(
        "PATCH",
        "/apis/apps/v1/namespaces/default/deployments/web",
        body={"spec": {"replicas": 2}},
        content_type="application/merge-patch+json",
    )

    text = printed(process.run(after=60))

    assert "default/web-0 from n1: ScaledDown" in text


def test_a_plan_after_the_run_is_printed_with_its_steps() -> None:
    entry = PlanEntry(action=PlanAction.MOVE, namespace="shop", pod="web-0", uid="u1", source="n2", target="n1")
    plan = Plan(name="plan-1", phase=PlanPhase.ABORTED, reason="the node shrank", entries=(entry,))
    planned = Result(outcome="Aborted", detail="the node shrank", plan=plan)
    console = Console(file=io.StringIO(), width=240)

    printing.print_planned(planned, console)
    printing.print_planned(Result(outcome="nothing-pending"), console)

    assert isinstance(console.file, io.StringIO)
    words = " ".join(console.file.getvalue().split())
    assert "shop/web-0" in words
    assert words.endswith("plan: Aborted: the node shrank plan: nothing-pending")


def test_a_program_gets_the_plan_beside_the_run() -> None:
    result = hot().process().run()

    plan = json.loads(printing.as_json(result, Result(outcome="observed", plan=Plan(name="plan-1"))))["plan"]

    assert (plan["outcome"], plan["plan"]["name"]) == ("observed", "plan-1")
    assert "plan" not in json.loads(printing.as_json(result))
