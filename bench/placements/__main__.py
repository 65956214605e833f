"""`python -m bench.placements CASE --seed S --time T`: lets solvers answer one instance and prints what came of it."""

import argparse
import sys
from collections.abc import Sequence

from bench.placements import cases, places, running
from bench.placements.running import Instance, Outcome
from descheduler.optimiser.solution import Options


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer one instance with each solver asked for; the exit code is 3 where its data set is missing."""
    given = _parser().parse_args(arguments)
    try:
        instances = [
            Instance(name=given.case, seed=seed, problem=cases.problem(given.case, seed)) for seed in given.seed
        ]
    except places.Missing as missing:
        print(f"skipped: {missing}")
        return 3
    options = Options(
        time_limit=given.time,
        price=None if given.price == "any" else int(given.price),
        order=given.order,
        deterministic=given.deterministic,
    )
    for instance in instances:
        print(f"{instance}: {len(instance.problem.items)} pods, {instance.pending} pending", flush=True)
        for name in given.solver.split(","):
            print(_told(running.answer(instance, running.solver(name), options)), flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.placements", description=__doc__)
    parser.add_argument("case", help="such as 32x4, bytedance-43-98, openb-whole-95, mixed")
    parser.add_argument("--seed", type=int, nargs="*", default=[11])
    parser.add_argument("--time", type=float, default=5.0, help="seconds")
    parser.add_argument("--deterministic", type=float, default=None, help="CP-SAT's own measure instead of seconds")
    parser.add_argument("--solver", default="bayplan", help="bayplan, released, repaired; several with commas")
    parser.add_argument("--price", default="8", help="a number or any")
    parser.add_argument("--order", default="placement-first", choices=["placement-first", "frozen"])
    return parser


def _told(outcome: Outcome) -> str:
    path = "; ".join(f"{point.at:.2f} s {sum(point.placed)}/{point.disruptions}" for point in outcome.path[:12])
    timings = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in outcome.timings.items())
    disrupted = f"{outcome.disruptions} disruptions ({sum(outcome.evicted)} evicted)"
    lines = [
        f"  {outcome.solver}: +{outcome.gained} pods, {disrupted}, {outcome.proof}, {outcome.seconds:.2f} s",
        f"    placed {outcome.placed}, usage {float(outcome.usage[0]):.4f} -> {float(outcome.usage[1]):.4f}",
        f"    bounds {outcome.bounds}, path {path or '-'}; {timings}; {dict(outcome.counts)}",
    ]
    return "\n".join([*lines, *(f"    INVALID {violation}" for violation in outcome.violations[:5])])


if __name__ == "__main__":
    sys.exit(main())
