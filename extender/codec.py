"""kube-scheduler's requests as values, and answers as the JSON it accepts; decides nothing.

Keys are read and written with the exact case of the Go types. What cannot be read is left out where that is safe, and
`RequestError` where not even the nodes of the request are known.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final, NamedTuple

import orjson

from policies.placement.filtering import FilterDecision
from policies.placement.reasons import TEXTS
from policies.values.pods import Pod
from sources.kube.decoding.pods import decode_lean_pod
from sources.kube.decoding.tolerant import MalformedObject, tolerant

_NO_PRIORITIES: Final[Mapping[str, int]] = {}
_TEXT: Final = frozenset({str})
_FEW: Final = 2  # `itemgetter` of a single key gives no tuple
_NEXT_HOST: Final = ',{"Host":"'
VETO: Final = b'{"NodeNameToMetaVictims":{}}'


class RequestError(ValueError):
    """A request that does not even say which nodes it is about; the text says what was seen and what is allowed."""


@dataclass(frozen=True, slots=True)
class NodesRequest:
    """A filter or prioritize request: the pod (None: not readable) and the names of its nodes, none of them twice.

    `items` holds the whole nodes by name where the request carried those (nodeCacheCapable false), else None.
    """

    pod: Pod | None
    names: Collection[str]
    items: Mapping[str, object] | None = None


class Victims(NamedTuple):
    """One node's victims in a preempt request: their UIDs in the order sent, and the PDB violations.

    `priorities` are by UID, of those that came as whole pods.
    """

    uids: tuple[str, ...]
    violations: int
    priorities: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PreemptRequest:
    """A preempt request: the pod (None: not readable) and the readable candidate nodes.

    `whole` tells that it came with whole pods (nodeCacheCapable false).
    """

    pod: Pod | None
    nodes: Mapping[str, Victims]
    whole: bool = False


def read_nodes_request(body: bytes) -> NodesRequest:
    """Read a filter or prioritize request."""
    args = _object(body)
    names, whole = args.get("NodeNames"), args.get("Nodes")
    pod = _pod(args.get("Pod"))
    if names is not None:
        return NodesRequest(pod, _names(names))
    if whole is None:
        return NodesRequest(pod, [])
    items = _items(whole)
    return NodesRequest(pod, [*items], items)


def read_preempt_request(body: bytes) -> PreemptRequest:
    """Read a preempt request in either form; a node whose victims cannot be read is left out, which vetoes it."""
    args = _object(body)
    pod = _pod(args.get("Pod"))
    meta, whole = args.get("NodeNameToMetaVictims"), args.get("NodeNameToVictims")
    named = meta if isinstance(meta, dict) and (meta or not whole) else whole
    if not isinstance(named, dict):
        return PreemptRequest(pod, {})
    read = {name: _read_victims(victims) for name, victims in named.items()}
    nodes = {name: victims for name, victims in read.items() if victims is not None}
    return PreemptRequest(pod, nodes, whole=named is not meta)


def filter_answer(request: NodesRequest, decision: FilterDecision) -> bytes:
    """Write the answer to a filter request, in `Nodes` where it came with whole nodes."""
    failed: dict[str, str] = {}
    for reason, names in decision.refused.items():
        failed.update(dict.fromkeys(names, TEXTS[reason]))
    if request.items is None:
        return filter_reply(decision.passed, failed=failed)
    kept = {"metadata": {}, "items": [request.items[name] for name in decision.passed]}
    return filter_reply(None, nodes=kept, failed=failed)


def pass_all(request: NodesRequest) -> bytes:
    """Write the answer that leaves every node of a filter request in, as it came."""
    return filter_answer(request, FilterDecision(passed=[*request.names]))


def filter_reply(
    names: Sequence[str] | None,
    *,
    nodes: object = None,
    failed: Mapping[str, str] | None = None,
    error: str = "",
) -> bytes:
    """Write an ExtenderFilterResult; refusals always go into the map that preemption does not look at."""
    return orjson.dumps(
        {
            "Nodes": nodes,
            "NodeNames": names,
            "FailedNodes": {},
            "FailedAndUnresolvableNodes": failed or {},
            "Error": error,
        }
    )


def prioritize_reply(names: Collection[str], scores: Sequence[int]) -> bytes:
    """Write a HostPriorityList.

    An object for each of 5,000 names would cost as much as all the rest of an answer, so the text is put together from
    the names and from what stands between them; not where a name needs escaping, which no node's does.
    """
    text = "".join(names)
    if len(names) < _FEW or orjson.dumps(text)[1:-1] != text.encode():
        return orjson.dumps([{"Host": name, "Score": score} for name, score in zip(names, scores, strict=True)])
    between = {score: f'","Score":{score}}},{{"Host":"' for score in {*scores}}
    parts = [""] * (2 * len(names))
    parts[::2], parts[1::2] = names, itemgetter(*scores)(between)  # half of what a comprehension costs
    return f'[{{"Host":"{"".join(parts).removesuffix(_NEXT_HOST)}]'.encode()


def score_line(name: str, score: int) -> str:
    """Write one entry of a HostPriorityList."""
    return orjson.dumps({"Host": name, "Score": score}).decode()


def lines_reply(lines: Iterable[str]) -> bytes:
    """Write a HostPriorityList of entries that are written already."""
    return f"[{','.join(lines)}]".encode()


def error_reply(cause: str) -> bytes:
    """Write the answer to a path that is no verb of ours."""
    return orjson.dumps({"Error": cause})


def preempt_reply(kept: Sequence[str], nodes: Mapping[str, Victims]) -> bytes:
    """Write an ExtenderPreemptionResult with each kept node's own victims; there is no `null` in it."""
    return orjson.dumps({"NodeNameToMetaVictims": {name: _victims(nodes[name]) for name in kept}})


def _victims(victims: Victims) -> dict[str, Any]:
    return {"Pods": [{"UID": uid} for uid in victims.uids], "NumPDBViolations": victims.violations}


def _object(body: bytes) -> dict[str, Any]:
    try:
        args = orjson.loads(body)
    except orjson.JSONDecodeError as problem:
        raise RequestError(f"the body is not JSON ({problem}); allowed is one JSON object") from problem
    if not isinstance(args, dict):
        raise RequestError(f"the body is a JSON {type(args).__name__}; allowed is one JSON object")
    return args


def _pod(raw: object) -> Pod | None:
    try:
        return tolerant(decode_lean_pod, raw)
    except MalformedObject:
        return None


def _part(raw: object, key: str) -> Mapping[str, Any]:
    """Return an object's object, an empty one where there is none."""
    inner = raw.get(key) if isinstance(raw, dict) else None
    return inner if isinstance(inner, dict) else {}


def _names(names: object) -> dict[str, None]:
    """Return the names as an ordered set."""
    if not isinstance(names, list):
        raise RequestError(f"NodeNames is a JSON {type(names).__name__}; allowed is a list of names or null")
    try:
        "".join(names)  # the cheapest way to ask whether all of them are text
    except TypeError:
        names = [name for name in names if isinstance(name, str)]
    return dict.fromkeys(names)


def _items(whole: object) -> dict[str, object]:
    items = whole.get("items") if isinstance(whole, dict) else whole
    if items is None:
        return {}
    if not isinstance(items, list):
        raise RequestError(f"Nodes.items is a JSON {type(items).__name__}; allowed is a list of nodes or null")
    named = ((_part(item, "metadata").get("name"), item) for item in items)
    return {name: item for name, item in named if isinstance(name, str)}


def _read_victims(victims: object) -> Victims | None:
    """Read one node's victims; None where they cannot be echoed as they came."""
    if not isinstance(victims, dict):
        return None
    pods, violations = victims.get("Pods") or [], victims.get("NumPDBViolations") or 0
    if not isinstance(pods, list) or type(violations) is not int:
        return None
    try:
        uids = [pod["UID"] for pod in pods]
    except (KeyError, TypeError):  # whole pods, or none that can be read
        return _read_whole(pods, violations)
    if (len(uids) == 1 and type(uids[0]) is str) or {*map(type, uids)} <= _TEXT:
        return Victims(tuple(uids), violations, _NO_PRIORITIES)
    return _read_whole(pods, violations)


def _read_whole(pods: list[object], violations: int) -> Victims | None:
    read = [_uid_and_priority(pod) for pod in pods]
    if any(uid is None for uid, _ in read):
        return None
    uids = tuple(uid for uid, _ in read if uid is not None)
    return Victims(uids, violations, {uid: priority for uid, priority in read if uid and priority is not None})


def _uid_and_priority(pod: object) -> tuple[str | None, int | None]:
    if not isinstance(pod, dict):
        return None, None
    uid = pod.get("UID") or _part(pod, "metadata").get("uid")
    priority = _part(pod, "spec").get("priority")
    return (uid if isinstance(uid, str) else None), (priority if type(priority) is int else None)
