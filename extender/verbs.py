"""The three verbs: bytes in, bytes out, and what each answers when it cannot decide.

Trouble never stops scheduling and never evicts: the filter passes every name, scores are 0, preemption is vetoed.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from extender import codec
from extender.judging import Judge
from extender.metrics import Fault, Meters

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Call:
    """One call with its collaborators."""

    body: bytes
    judge: Judge
    meters: Meters


@dataclass(frozen=True, slots=True)
class Verb:
    """How a verb is answered; `refuse` gives the answer where not even the body is known, with the cause."""

    name: str
    answer: Callable[[Call], bytes]
    give_up: Callable[[bytes], bytes]
    refuse: Callable[[str], bytes]


def _filter(call: Call) -> bytes:
    request = codec.read_nodes_request(call.body)
    _note_whole(call, "filter", whole=request.items is not None)
    if request.pod is None:
        _note_pod(call, "filter")
        return codec.pass_all(request)
    decision = call.judge.filter(request.pod, request.names)
    call.meters.filtered(decision)
    return codec.filter_answer(request, decision)


def _prioritize(call: Call) -> bytes:
    request = codec.read_nodes_request(call.body)
    _note_whole(call, "prioritize", whole=request.items is not None)
    if request.pod is None:
        _note_pod(call, "prioritize")
        return codec.prioritize_reply(request.names, [0] * len(request.names))
    lines = call.judge.lines(request.pod, request.names)
    if lines is not None:
        return codec.lines_reply(lines)
    return codec.prioritize_reply(request.names, call.judge.prioritize(request.pod, request.names))


def _preempt(call: Call) -> bytes:
    request = codec.read_preempt_request(call.body)
    _note_whole(call, "preempt", whole=request.whole)
    if request.pod is None:
        _note_pod(call, "preempt")
        return codec.VETO
    decision = call.judge.preempt(request.pod, request.nodes)
    call.meters.preempted(decision)
    return codec.preempt_reply(decision.kept, request.nodes)


def _pass_all(body: bytes) -> bytes:
    return codec.pass_all(codec.read_nodes_request(body))


def _score_alike(body: bytes) -> bytes:
    names = codec.read_nodes_request(body).names
    return codec.prioritize_reply(names, [0] * len(names))


def _note_whole(call: Call, verb: str, *, whole: bool) -> None:
    """Count a call with whole objects, and report the first: in-tree scores are wrong then (kubernetes#141781)."""
    if whole:
        call.meters.whole_nodes.labels(verb).inc()
        if call.meters.first("whole objects"):
            _LOG.warning("kube-scheduler sends whole objects: set nodeCacheCapable: true for this extender")


def _note_pod(call: Call, verb: str) -> None:
    call.meters.fault(verb, Fault.UNREADABLE_POD)


# `Error` in the filter's answer has the same effect as no answer: with `ignorable: true` every node passes.
FILTER: Final = Verb("filter", _filter, _pass_all, lambda cause: codec.filter_reply([], error=cause))
PRIORITIZE: Final = Verb("prioritize", _prioritize, _score_alike, lambda _cause: codec.prioritize_reply([], []))
PREEMPT: Final = Verb("preempt", _preempt, lambda _body: codec.VETO, lambda _cause: codec.VETO)
VERBS: Final = {verb.name: verb for verb in (FILTER, PRIORITIZE, PREEMPT)}
