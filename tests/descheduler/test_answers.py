"""What each answer of the Eviction API means for the record and for another try."""

import pytest

from descheduler import answers
from descheduler.answers import AnswerKind
from policies.values.records import RecordState
from sources.kube import errors

BUDGET_BODY = {
    "reason": "TooManyRequests",
    "message": "Cannot evict pod as it would violate the pod's disruption budget.",
    "details": {
        "retryAfterSeconds": 10,
        "causes": [
            {
                "reason": "DisruptionBudget",
                "message": "The disruption budget web needs 3 healthy pods and has 3 currently",
            }
        ],
    },
}
SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
EVACUATION = 'admission webhook denied the request: Eviction triggered evacuation of VMI "shop/vm-0"'
UID = 'Operation cannot be fulfilled on pods "a": Precondition failed: UID in precondition: 1, UID in object meta: 2'


@pytest.mark.parametrize(
    ("error", "kind", "state", "again"),
    [
        (errors.status_error(404, {"message": "gone"}), AnswerKind.GONE, RecordState.REFUSED, False),
        (errors.status_error(409, {"message": UID}), AnswerKind.REPLACED, RecordState.REFUSED, False),
        (errors.status_error(409, {"message": "be fair"}), AnswerKind.CONFLICT, RecordState.REFUSED, True),
        (errors.status_error(429, BUDGET_BODY), AnswerKind.BUDGET, RecordState.REFUSED, True),
        (errors.status_error(429, {"message": "too many"}), AnswerKind.THROTTLED, RecordState.REFUSED, True),
        (errors.status_error(403, {"message": "no"}), AnswerKind.FORBIDDEN, RecordState.REFUSED, False),
        (errors.status_error(401, {"message": "who"}), AnswerKind.FORBIDDEN, RecordState.REFUSED, False),
        (errors.status_error(500, {"message": SEVERAL}), AnswerKind.SEVERAL_BUDGETS, RecordState.REFUSED, False),
        (errors.status_error(500, {"message": "etcd timed out"}), AnswerKind.UNKNOWN, RecordState.UNKNOWN, False),
        (errors.status_error(504, {"message": "timeout"}), AnswerKind.UNKNOWN, RecordState.UNKNOWN, False),
        (errors.status_error(422, {"message": "invalid"}), AnswerKind.OTHER, RecordState.REFUSED, False),
        (errors.TimedOut("2 s passed"), AnswerKind.UNKNOWN, RecordState.UNKNOWN, False),
        (errors.Interrupted("reset"), AnswerKind.UNKNOWN, RecordState.UNKNOWN, False),
        (errors.Undecodable("<html>"), AnswerKind.UNKNOWN, RecordState.UNKNOWN, False),
        (errors.Unreachable("refused"), AnswerKind.NOT_REACHED, RecordState.REFUSED, True),
    ],
)
def test_each_error_is_one_answer(
    error: errors.ApiError,
    kind: AnswerKind,
    state: RecordState,
    again: bool,  # noqa: FBT001  # a column of the table
) -> None:
    answer = answers.classify(error)

    assert (answer.kind, answer.state, answer.may_try_again) == (kind, state, again)


def test_a_budget_answer_keeps_the_budgets_name_and_the_wait() -> None:
    answer = answers.classify(errors.status_error(429, BUDGET_BODY))

    assert str(answer) == ("429 disruption budget: The disruption budget web needs 3 healthy pods and has 3 currently")
    assert answer.retry_after == 10


def test_fc_084_a_429_that_means_started_is_an_accepted_eviction() -> None:
    begun = answers.classify(errors.status_error(429, {"message": EVACUATION}))
    plain = answers.classify(errors.status_error(429, {"message": "VMI is not evictable"}))

    assert (begun.kind, begun.state, begun.may_try_again) == (AnswerKind.BACKGROUND, RecordState.ACCEPTED, False)
    assert plain.state is RecordState.REFUSED


def test_accepted_and_observed_become_their_states() -> None:
    assert answers.EvictionAnswer(AnswerKind.ACCEPTED).state is RecordState.ACCEPTED
    assert answers.EvictionAnswer(AnswerKind.OBSERVED).state is RecordState.OBSERVED
    assert str(answers.EvictionAnswer(AnswerKind.ACCEPTED)) == "201 accepted"
