"""Single cycles: what they print and what they log are kept apart, and whether they failed is told."""

import subprocess

import pytest

from launching import single
from launching.single import CycleFailedError
from tests.launching.conftest import MakeLaunch


def test_what_a_cycle_prints_is_read_and_its_log_is_kept_apart(launch: MakeLaunch) -> None:
    made = launch(kind="descheduler", policy={"mode": "observe"})

    done = single.cycle(made).checked()

    assert (done.code, done.printed) == (0, {"decisions": [{"mode": "observe"}]})
    assert "said before the end" in done.log
    assert "decisions" not in done.log
    assert (made.run.folder / "logs" / "ours.log").read_text() == done.log


def test_failed_cycle_is_told_with_its_code_and_the_end_of_its_log(launch: MakeLaunch) -> None:
    done = single.cycle(launch(kind="descheduler", policy={"code": 5}))

    assert done.code == 5
    with pytest.raises(CycleFailedError, match=r"ours ended with 5:\n(.*\n)*said before the end"):
        done.checked()


def test_cycle_that_takes_too_long_is_ended(launch: MakeLaunch) -> None:
    made = launch(kind="descheduler", launcher=("sh", "-c", "echo $$ >&2; exec sleep 60"))

    with pytest.raises(subprocess.TimeoutExpired):
        single.cycle(made, patience=0.2)


def test_cycle_that_was_killed_has_printed_nothing(launch: MakeLaunch) -> None:
    done = single.cycle(launch(kind="descheduler", launcher=("sh", "-c", "kill -9 $$")))

    assert (done.code, done.printed) == (-9, {})
