"""Writes `docs/benchmarks.md`: the table, what it was measured on, and how; measures nothing."""

from collections.abc import Iterable, Mapping
from typing import Final

from bench import results
from bench.results import Result

_HEAD: Final = """# Benchmarks

`make bench` measures everything below in one run and writes this page anew; `make bench ROW=filter` measures one row
and prints it. Targets are those of the design. Nothing here is a timed test: figures of a shared machine are noisy, so
compare ratios within the run rather than times between runs.

"""
_HOW: Final = """
## How each row is measured

* `filter`: an extender knows 5,000 nodes and 150,000 pods from a stand-in API server, which sends 300 pod events a second
  (of five: a pod made, bound, Ready, an old one terminating, gone) and 17 node reports. A stand-in Prometheus answers
  the queries of the kubelet-PSI preset with 5,000 nodes and 5,000 workloads, polled every 15 s; one node in eight is
  above the filter's threshold. A Go program with `net/http` calls as kube-scheduler does: one call after the other
  over kept connections, `Accept-Encoding: gzip`, 25 rounds a second of filter and prioritize with 5,000 names, each to
  the extender and to the echo in turn. "Server side" is the extender's own histogram, from the whole request read to
  its answer written; the client's times hold both programs' share of two processors.
* The Go echo decodes with `encoding/json`, leaves the pod undecoded, and returns the names (or a score of 0 for each).
* `preempt`: the same extender, 40 calls a second, each with 1,000 candidate nodes of two victims, so that every node
  has to be judged by what its victims take.
* `memory`: the same extender at the end of that, its gunicorn arbiter and its children included (PSS: what processes
  share counts once).
* `bind`: kube-scheduler with 500 nodes on a real control plane (with KWOK and the controller-manager off), searching
  all nodes, binds waiting pods; the same number with each extender in turn, twice, the second time in reverse order.
* `cycle`: the descheduler loops on a real API server with 1,000 nodes and 10,000 running pods of 500 Deployments; one pod
  in ten has an objective; five nodes are oversubscribed, and the pods of one of these fit nowhere else, so that every
  cycle looks for room in vain. It reads 15 minutes of history at a step of 15 s from a stand-in Prometheus, whose time
  for preparing an answer is taken off; decoding it is not.
"""


def page(found: Iterable[Result], facts: Mapping[str, str]) -> str:
    """Return the page."""
    return f"{_HEAD}{results.table(found)}\n{results.facts(facts)}{_HOW}"
