"""Frames of whole problems, for the tests of columns."""

import threading

from descheduler.optimiser.classes import classify
from descheduler.optimiser.clock import Clock
from descheduler.optimiser.columns.loads import Loads, load
from descheduler.optimiser.columns.master import Allowance
from descheduler.optimiser.engine import Engine
from descheduler.optimiser.model.frame import Cast, Frame, whole
from descheduler.optimiser.problem import Problem
from descheduler.optimiser.search import Search
from descheduler.optimiser.solution import Options
from descheduler.optimiser.tables import tabulate

QUICK = Options(deterministic=5.0, workers=1)


def frame_of(problem: Problem) -> Frame:
    """Return the frame of all pods and nodes, as they are."""
    tables = tabulate(problem)
    return whole(Cast(problem, tables, classify(problem, tables)), tables.origin)


def loads_of(problem: Problem) -> Loads:
    """Return what its nodes may hold."""
    return load(frame_of(problem))


def allowance_of(frame: Frame, unplaced: tuple[int, ...]) -> Allowance:
    """Return that so many pods by tier may have no place."""
    tables, classes = frame.cast.tables, frame.cast.classes
    return Allowance(
        tier=tables.tier[frame.sample], pending=(classes.size - classes.run)[frame.kinds], unplaced=unplaced
    )


def search_of(frame: Frame, options: Options = QUICK) -> Search:
    """Return a search that has found nothing yet."""
    stop = threading.Event()
    clock = Clock(options, stop, pods=len(frame.where))
    return Search(frame.cast, options, clock, Engine(stop))
