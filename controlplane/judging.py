"""Whether evictions kept to every limit, from what an outsider saw; pure, and shares no code with Bayplan.

Each finding is a sentence; none at all is what a test wants.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from controlplane import budgets, replaying
from controlplane.auditing import Request
from controlplane.objects import Object
from controlplane.replaying import Change, Key, State, is_healthy


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What evictions may do at most: evictions of a workload, node and the cluster per `window` seconds.

    `floor` is how many Ready replicas a workload must keep. `pending` names workloads whose pods may be waiting for a
    place in the end. `users` are those who may only evict, never delete.
    """

    workload: int = 1
    node: int = 5
    cluster: int = 40
    window: float = 600.0
    floor: int = 1
    pending: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Eviction:
    """A granted eviction: whose pod it was, where it ran, and how many Ready pods its workload had left."""

    pod: str
    uid: str
    node: str
    workload: Key | None
    left: int


@dataclass
class _Replay:
    """Goes through all changes once and notes what evictions did."""

    state: State = field(default_factory=State)
    evictions: list[Eviction] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    judged: set[tuple[str, str]] = field(default_factory=set)
    uids: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def step(self, change: Change) -> None:
        before = self.state.find(
            change.kind, change.body["metadata"].get("namespace", ""), change.body["metadata"]["name"]
        )
        if change.kind == "PodDisruptionBudget" and not change.gone:
            self._budget_changed(before, change.body)
        if change.kind == "Pod":
            self._pod_changed(before, change.body)
        self.state.apply(change)

    def _budget_changed(self, before: Object | None, after: Object) -> None:
        """Judge the disruptions that the API server has just granted: it notes the pod before it takes it away."""
        if before is None:
            return
        noted: Mapping[str, str] = after.get("status", {}).get("disruptedPods") or {}
        for name in noted.keys() - (before.get("status", {}).get("disruptedPods") or {}).keys():
            pod = self.state.find("Pod", after["metadata"]["namespace"], name)
            if pod is not None:
                self._judge(before, pod, going=self._going(after, noted))

    def _going(self, budget: Object, noted: Mapping[str, str]) -> frozenset[str]:
        """Return who of those noted is still the pod that was meant: a StatefulSet makes new ones of the same name."""
        pods = ((name, self.state.find("Pod", budget["metadata"]["namespace"], name)) for name in noted)
        return frozenset(
            name for name, pod in pods if pod is not None and pod["metadata"]["creationTimestamp"] <= noted[name]
        )

    def _pod_changed(self, before: Object | None, after: Object) -> None:
        metadata = after["metadata"]
        known = self.uids.setdefault((metadata["namespace"], metadata["name"]), [])
        if metadata["uid"] not in known:
            known.append(metadata["uid"])
        if before is None or not _evicted(after) or _evicted(before):
            return
        for budget in self.state.of("PodDisruptionBudget", metadata["namespace"]):
            if (budget["metadata"]["name"], metadata["uid"]) not in self.judged and budgets.covers(budget, before):
                self._judge(budget, before, going=frozenset({metadata["name"]}))
        workload = self.state.workload(before)
        left = [] if workload is None else [pod for pod in self.state.members(workload) if is_healthy(pod)]
        others = [pod for pod in left if pod["metadata"]["uid"] != metadata["uid"]]
        self.evictions.append(
            Eviction(
                pod=metadata["name"],
                uid=metadata["uid"],
                node=before["spec"].get("nodeName", ""),
                workload=workload,
                left=len(others),
            )
        )

    def _judge(self, budget: Object, pod: Object, *, going: frozenset[str]) -> None:
        self.judged.add((budget["metadata"]["name"], pod["metadata"]["uid"]))
        left, wanted = budgets.healthy(budget, self.state, without=going), budgets.desired(budget, self.state)
        if left < wanted:
            evicted, by = pod["metadata"]["name"], budget["metadata"]["name"]
            self.findings.append(f"{evicted} was evicted with {left} healthy pods left; the budget {by} wants {wanted}")


def _evicted(pod: Object) -> bool:
    return replaying.condition(pod, "DisruptionTarget").get("reason") == "EvictionByEvictionAPI"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found wrong, and how much there was to find it in: evictions, and pairs of eviction and budget."""

    findings: tuple[str, ...]
    evictions: tuple[Eviction, ...]
    budgets_judged: int


def judge(changes: Sequence[Change], calls: Sequence[Request], rules: Rules) -> Judgement:
    """Go through everything that was seen, in order, and through all calls of the Eviction API and deletions."""
    replay = _Replay()
    for change in changes:
        replay.step(change)
    known = {uid for uids in replay.uids.values() for uid in uids}
    findings = [
        *replay.findings,
        *_twice(calls, replay.uids),
        *_deleted(calls, rules),
        *_over_limits(calls, replay, rules),
        *_under_floor(replay.evictions, rules),
        *_unseen(calls, replay, known),
        *_not_whole(replay.state, rules),
    ]
    return Judgement(tuple(findings), tuple(replay.evictions), len(replay.judged))


def _granted(calls: Sequence[Request]) -> list[Request]:
    return [call for call in calls if call.subresource == "eviction" and call.granted]


def _twice(calls: Sequence[Request], uids: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    # Without a precondition the name has to do; a name that stood for several pods would say nothing.
    asked = Counter(
        call.uid or uids[call.namespace, call.name][0]
        for call in _granted(calls)
        if call.uid or len(uids.get((call.namespace, call.name), ())) == 1
    )
    yield from (f"the pod with UID {uid} was evicted {count} times" for uid, count in asked.items() if count > 1)


def _deleted(calls: Sequence[Request], rules: Rules) -> Iterator[str]:
    for call in calls:
        deletes = call.verb in {"delete", "deletecollection"} and (call.resource, call.subresource) == ("pods", "")
        if deletes and call.granted and call.user in rules.users:
            yield f"{call.user} deleted the pod {call.name or '(several)'} instead of evicting it"


def _unseen(calls: Sequence[Request], replay: _Replay, known: set[str]) -> Iterator[str]:
    """Find granted evictions without a pod that went by them: then this observer missed something, and is no proof."""
    seen = {eviction.uid for eviction in replay.evictions}
    for call in _granted(calls):
        if call.uid in known and call.uid not in seen:
            yield f"the eviction of {call.name} was granted, but nobody saw the pod go: this observer has a gap"


def _over_limits(calls: Sequence[Request], replay: _Replay, rules: Rules) -> Iterator[str]:
    by_uid = {eviction.uid: eviction for eviction in replay.evictions}
    known = [(call.at, by_uid[call.uid]) for call in _granted(calls) if call.uid in by_uid]
    scopes: list[tuple[str, int, Callable[[Eviction], object]]] = [
        ("workload", rules.workload, lambda one: one.workload or one.uid),
        ("node", rules.node, lambda one: one.node),
        ("cluster", rules.cluster, lambda _: ""),
    ]
    for scope, most, key in scopes:
        times: dict[object, list[float]] = {}
        for at, eviction in known:
            times.setdefault(key(eviction), []).append(at)
        for where, moments in times.items():
            worst = max(sum(0 <= later - first < rules.window for later in moments) for first in moments)
            if worst > most:
                yield f"{worst} evictions within {rules.window:g} s in the {scope} {where}; allowed are {most}"


def _under_floor(evictions: Sequence[Eviction], rules: Rules) -> Iterator[str]:
    for eviction in evictions:
        if eviction.workload is not None and eviction.left < rules.floor:
            kind, _, name = eviction.workload
            left = f"{eviction.left} Ready pods of {kind} {name} left"
            yield f"{eviction.pod} was evicted with {left}; the floor is {rules.floor}"


def _not_whole(state: State, rules: Rules) -> Iterator[str]:
    for (kind, _, name), body in list(state.objects.items()):
        if kind not in replaying.REPLICATED or replaying.controller(body) is not None:
            continue
        wanted = int(body["spec"].get("replicas", 1))
        members = state.members((kind, body["metadata"]["namespace"], name))
        healthy = sum(is_healthy(pod) for pod in members)
        if len(members) != wanted:
            yield f"{kind} {name} has {len(members)} pods, {wanted} are wanted"
        elif healthy != wanted and name not in rules.pending:
            yield f"{kind} {name} has {healthy} Ready pods, {wanted} are wanted"
