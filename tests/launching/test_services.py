"""A service from its start to its end, with a stand-in for the program."""

import time
from pathlib import Path

import pytest
import requests

from controlplane.processes import ProgramError
from controlplane.waiting import NotInTimeError
from launching.services import Service
from tests.launching.conftest import MakeLaunch


def exists(process_id: int) -> bool:
    return Path(f"/proc/{process_id}").exists()


def test_service_is_ready_inside_its_block_and_gone_after_it(launch: MakeLaunch) -> None:
    with Service(launch(policy={"mode": "observe"})) as service:
        process_id = service.program.pid

        assert service.readyz() == {"mode": "observe"}

    assert not exists(process_id)


def test_pages_are_read(launch: MakeLaunch) -> None:
    with Service(launch()) as service:
        assert service.metric("shown_total") == 5
        assert service.metric("shown_total", verb="preempt") == 3
        assert service.metric("unknown") == 0
        assert service.samples("other") == [({}, 1.0)]
        assert service.explain("shop/web")["pod"] == "shop%2Fweb"
        assert service.nodes("shop/web") == {"node-1": {"node": "node-1", "verdict": "feasible"}}


def test_changed_policy_reaches_a_running_service(launch: MakeLaunch) -> None:
    with Service(launch(policy={"mode": "observe"})) as service:
        service.use({"mode": "enforce"})

        assert service.readyz() == {"mode": "enforce"}


def test_only_its_own_process_is_ended(launch: MakeLaunch) -> None:
    with Service(launch(name="first")) as first:
        with Service(launch(name="second")) as second:
            ended = second.program.pid

        assert not exists(ended)
        assert first.readyz() == {}


def test_service_that_ends_at_its_start_is_told_with_the_end_of_its_log(launch: MakeLaunch) -> None:
    service = Service(launch(policy={"code": 3}))

    with pytest.raises(ProgramError, match=r"ours ended with 3 before it was ready:\n(.*\n)*said before the end"):
        service.__enter__()

    service.close()


def test_service_that_does_not_get_ready_is_ended_and_told_with_its_log(launch: MakeLaunch) -> None:
    service = Service(launch(policy={"never": True}, within=1.0))

    with pytest.raises(NotInTimeError, match=r"waited 1 s for ours to be ready \(its log ends: .+ours\.log\).+seen"):
        service.__enter__()

    service.close()
    assert not service.program.running


def test_service_without_grace_is_killed_at_once(launch: MakeLaunch) -> None:
    with Service(launch(grace=0.0)) as service:
        service.program.pause()
        process_id, began = service.program.pid, time.monotonic()

    assert not exists(process_id)
    assert time.monotonic() - began < 5


def test_environment_reaches_the_program(launch: MakeLaunch) -> None:
    with Service(launch(environment={"EXTRA": "more"})) as service:
        assert "127.0.0.1,localhost more" in service.program.tail()


def test_metrics_of_a_service_that_answers_with_an_error_are_no_metrics(launch: MakeLaunch) -> None:
    with Service(launch()) as service:
        service.use({"never": True})

        with pytest.raises(requests.HTTPError, match="503"):
            service.scrape()
