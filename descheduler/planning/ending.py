"""How plans end, as values; ends none."""

from dataclasses import dataclass

from policies.plans.converging import Progress
from policies.values.plans import Plan, PlanEntry, PlanPhase


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """Why a plan goes no further: one word for metrics, and a sentence.

    What is `passing` may be over in a moment, such as an API server that gives no answer.
    """

    word: str
    reason: str
    passing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a plan ends. `word` is the reason in one word, empty for a completed plan."""

    phase: PlanPhase
    word: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A plan at its end, how it came to it, and the pods that were evicted for it.

    `written` is False where the cluster does not know of the end yet, `ours` where the next leader has closed it.
    """

    plan: Plan
    end: End
    evicted: tuple[PlanEntry, ...] = ()
    written: bool = True
    ours: bool = True


FAILED = End(phase=PlanPhase.ABORTED, word="failed", reason="the descheduler failed while it carried out the plan")


def aborted(stay: Stay) -> End:
    """Return the end of a plan that goes no further."""
    return End(phase=PlanPhase.ABORTED, word=stay.word, reason=stay.reason)


def overtaken(progress: Progress) -> Stay | None:
    """Return why the world lets a plan go no further, None where it does."""
    return None if progress.abort is None else Stay(word="overtaken", reason=progress.abort)
