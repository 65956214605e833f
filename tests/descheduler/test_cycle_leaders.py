"""One process acts at a time, and what a dead or unlucky one left open is settled by the next."""

from simulator.faults import LostAnswer
from tests.descheduler.cycles import hot, refusals


def test_two_processes_never_evict_more_than_one_would() -> None:
    site = hot(limits=[{"scope": "cluster", "max": 1, "window": "10m"}])
    first, second = site.process("a"), site.process("b")

    for _ in range(3):
        first.run(after=5)
        assert refusals(second) in ({"web-0": "lease"}, {"api-0": "limits"}, {"web-0": "limits", "api-0": "limits"}, {})

    assert site.evictions() == ["web-0"]


def test_an_answer_that_got_lost_is_settled_by_the_next_cycle() -> None:
    site = hot()
    site.server.faults.add(LostAnswer(), path="*/eviction")
    process = site.process()

    (line,) = process.run().decisions
    unknown = site.records()["web-0"]["state"]
    process.run(after=5)

    assert (line.kind, unknown, site.records()["web-0"]["state"]) == ("unknown", "Unknown", "Accepted")
    assert site.evictions() == ["web-0"]


def test_a_lost_answer_of_a_dead_process_counts_on_and_its_landing_is_found() -> None:
    site = hot(limits=[{"scope": "cluster", "max": 1, "window": "10m"}])
    site.server.faults.add(LostAnswer(), path="*/eviction")
    site.process("dead").run()

    successor = site.process("next")
    site.others["n1"] = 8.0
    successor.pause(20)
    rails = refusals(successor, after=30)

    assert successor.elector.leads()
    assert set(rails.values()) == {"limits"}
    status = site.records()["web-0"]
    assert (status["state"], status["landing"]) == ("Unknown", "Moved")
