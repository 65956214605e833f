"""Plans, their pods and what became of them, as an outsider sees it: by the API, by watches, by the audit log."""

from dataclasses import dataclass

import requests

from controlplane.api import Api
from controlplane.objects import Object
from controlplane.observing import Observer
from controlplane.waiting import wait_until
from controlplane.witnessing import Witness
from launching.paths import LEASES, OWN, PLANS, SLOTS
from tests.e2e.placing import SCHEDULER, Placing
from tests.e2e.scenes import Scene, node_of, summary

_ATTEMPTS = "scheduler_schedule_attempts_total{"
ENDS = ("Completed", "TimedOut", "Aborted")


@dataclass
class PlanSights:
    """What is looked at; `witness` and `plans_seen` have looked from the beginning of the test."""

    placing: Placing
    witness: Witness
    plans_seen: Observer

    @property
    def scene(self) -> Scene:
        """The scene."""
        return self.placing.scene

    @property
    def api(self) -> Api:
        """The administrator's connection."""
        return self.scene.api

    # ------------------------------------------------------------------ pods

    def nodes_of(self, app: str) -> list[str]:
        """Return where the bound pods of an app run, those on their way out left out."""
        pods = [pod for pod in self.scene.pods(app) if "deletionTimestamp" not in pod["metadata"]]
        return sorted(node_of(pod) for pod in pods if node_of(pod))

    def wait_on(self, app: str, *nodes: str, timeout: float = 40.0) -> None:
        """Wait until the pods of an app are exactly on these nodes and Ready."""
        wait_until(
            lambda: self.nodes_of(app) == sorted(nodes),
            f"{app} on {', '.join(nodes)}",
            timeout=timeout,
            seen=lambda: ([summary(pod) for pod in self.scene.pods()], self.told()),
        )
        self.scene.wait_ready(app, len(nodes))

    def unbound(self) -> list[str]:
        """Return the pods that have no node."""
        return [pod["metadata"]["name"] for pod in self.scene.pods() if not node_of(pod)]

    def unschedulable(self, app: str) -> bool:
        """Return whether kube-scheduler has said of a pod of an app that it fits nowhere."""
        return any(_is_unschedulable(pod) for pod in self.scene.pods(app))

    # ------------------------------------------------------------------ plans

    def plans(self) -> list[Object]:
        """Return the plans, oldest first."""
        return sorted(self.api.items(PLANS), key=lambda raw: int(raw["metadata"]["resourceVersion"]))

    def phases(self) -> list[str]:
        """Return the phases of all plans."""
        return [phase_of(raw) for raw in self.plans()]

    def wait_phase(self, *phases: str, timeout: float = 40.0) -> Object:
        """Wait until a plan was seen in one of these phases, which may be over by now; return it as it was then."""
        found = wait_until(
            lambda: [one.body for one in self.plans_seen.changes if phase_of(one.body) in phases],
            f"a plan in {' or '.join(phases)}",
            timeout=timeout,
            seen=lambda: (self.told(), [summary(pod) for pod in self.scene.pods()]),
        )
        return found[0]

    def wait_end(self, *, timeout: float = 60.0) -> Object:
        """Wait until a plan has ended; return it."""
        return self.wait_phase(*ENDS, timeout=timeout)

    def told(self) -> list[str]:
        """Return each plan in one line, as a person would ask for it."""
        return [plan_text(raw) for raw in self.plans()]

    def told_of(self, plan: Object) -> tuple[str, dict[str, list[str]]]:
        """Return a plan's phase, and the nodes that its steps lead to (or, of evictions, come from) by action."""
        nodes: dict[str, list[str]] = {}
        for entry in entries_of(plan):
            nodes.setdefault(entry["action"], []).append(entry.get("target") or entry["source"])
        return phase_of(plan), {action: sorted(found) for action, found in nodes.items()}

    def ends_told(self, name: str) -> list[str]:
        """Return the messages of the events that tell of a plan's end."""
        events = self.api.items(f"/api/v1/namespaces/{OWN}/events")
        ends = {f"Plan{phase}" for phase in ENDS}
        of_it = (event for event in events if event["involvedObject"]["name"] == name)
        return [event["message"] for event in of_it if event["reason"] in ends]

    def wait_told(self, plan: Object) -> str:
        """Return why a plan ended as its event says, which may come later; the list of plans has to say the same."""
        name, reason = str(plan["metadata"]["name"]), reason_of(plan)
        (told,) = wait_until(lambda: self.ends_told(name), f"the event of the end of {name}", seen=self.told)
        table = self.scene.plane.kubectl("-n", OWN, "get", "placementplans")
        (line,) = [line for line in table.splitlines() if line.startswith(name)]
        assert phase_of(plan) in line
        assert reason, f"{name} does not say why it ended"
        assert reason in line
        return told

    def first_seen(self, phase: str) -> float:
        """Return when a plan was first seen in a phase (Unix seconds)."""
        return next(one.at for one in self.plans_seen.changes if phase_of(one.body) == phase)

    def slot(self) -> Object:
        """Return the slot's specification; empty while there is none."""
        found = self.api.find(f"{SLOTS}/active")
        return {} if found is None else found["spec"]

    def shown(self) -> dict[str, str]:
        """Return the plan that each replica of the extender says it obeys, by its Lease."""
        leases = [raw for raw in self.api.items(LEASES) if raw["metadata"]["name"].startswith("bayplan-extender-")]
        return {
            raw["metadata"]["name"]: (raw["metadata"].get("annotations") or {}).get("bayplan.dev/plan", "")
            for raw in leases
        }

    def wait_released(self, *, timeout: float = 30.0) -> None:
        """Wait until the slot is free and no replica obeys a plan."""
        wait_until(
            lambda: not self.slot().get("plan") and not any(self.shown().values()),
            "the plan to be let go of",
            timeout=timeout,
            seen=lambda: (self.slot(), self.shown()),
        )

    # ------------------------------------------------------------------ what outsiders saw

    def attempts(self) -> float:
        """Return how often our scheduler has tried to place a pod."""
        run = self.scene.plane.run
        certificate = run.subfolder(SCHEDULER) / "kube-scheduler.crt"
        with requests.Session() as session:
            session.trust_env = False
            url = f"https://127.0.0.1:{run.port(SCHEDULER)}/metrics"
            lines = session.get(url, verify=str(certificate), timeout=10).text.splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(_ATTEMPTS))

    def evicted(self) -> list[str]:
        """Return the pods whose eviction the API server granted, in order, from its audit log."""
        return self.scene.evicted()

    def wait_evicted(self, count: int = 1) -> list[str]:
        """Wait until the audit log, which may be a moment late, has so many granted evictions; return the pods."""
        return wait_until(
            lambda: found if len(found := self.evicted()) >= count else [],
            f"{count} granted evictions",
            timeout=40,
            seen=lambda: (self.evicted(), self.told()),
        )

    def gone_at(self, name: str) -> float:
        """Return when a pod was seen to be gone."""
        return next(one.at for one in self.witness.pods.changes if _names(one.body, name) and one.kind == "DELETED")

    def bound_at(self, app: str) -> list[float]:
        """Return when each pod of an app was first seen bound; a pod that came again under a name is another one."""
        found: dict[str, float] = {}
        for seen in self.witness.pods.changes:
            if app_of(seen.body) == app and node_of(seen.body):
                found.setdefault(seen.body["metadata"]["uid"], seen.at)
        return sorted(found.values())

    def refused_at(self, app: str) -> float:
        """Return when kube-scheduler was first seen to say of a pod of an app that it fits nowhere."""
        seen = (one for one in self.witness.pods.changes if app_of(one.body) == app)
        return next(one.at for one in seen if _is_unschedulable(one.body))


def phase_of(plan: Object) -> str:
    """Return how far a plan got."""
    return str((plan.get("status") or {}).get("phase", ""))


def reason_of(plan: Object) -> str:
    """Return why it ended, or what it waits for."""
    return str((plan.get("status") or {}).get("reason", ""))


def entry_text(entry: Object) -> str:
    """Return what a plan does with one pod, in one line."""
    return f"{entry['action']} {entry['pod']} {entry.get('source', '')}->{entry.get('target', '')}"


def targets(plan: Object) -> dict[str, str]:
    """Return where a plan wants pods, by the name they had when it was made."""
    return {entry["pod"]: entry["target"] for entry in entries_of(plan) if "target" in entry}


def entries_of(plan: Object) -> list[Object]:
    """Return what a plan does with each pod."""
    found: list[Object] = plan["spec"].get("entries") or []
    return found


def plan_text(plan: Object) -> str:
    """Return a plan in one line."""
    return f"{plan['metadata']['name']} {plan.get('status')} {[entry_text(one) for one in entries_of(plan)]}"


def app_of(pod: Object) -> str:
    """Return the app that a pod is labelled with."""
    return str((pod["metadata"].get("labels") or {}).get("app", ""))


def _is_unschedulable(pod: Object) -> bool:
    conditions = pod["status"].get("conditions", ())
    return any(one["type"] == "PodScheduled" and one.get("reason") == "Unschedulable" for one in conditions)


def _names(body: Object, name: str) -> bool:
    return bool(body["metadata"]["name"] == name)
