"""Where the story is shown: live tables on a terminal, plain lines anywhere else."""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Protocol, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from demo import tables
from demo.results import Memory, figures
from demo.sights import Decision, Sight

_PLAIN_WIDTH: Final = 160
_STATUS_SECONDS: Final = 5.0
# How much of the story and of the decisions is on the screen at once, and how high that makes it.
_TOLD, _DECIDED, _HEIGHT = 4, 8, 38


class Display(Protocol):
    """Shows what the story tells and what is seen."""

    def __enter__(self) -> Self:
        """Begin."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the screen back."""
        ...

    def tell(self, text: str) -> None:
        """Say what happens."""
        ...

    def show(self, sight: Sight, memory: Memory | None, new: Sequence[Decision]) -> None:
        """Show a moment; `new` are decisions that were not seen before."""
        ...


class Clock:
    """The time since the beginning, as minutes and seconds; and the way to wait."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._began

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def __str__(self) -> str:
        minutes, seconds = divmod(int(self.seconds), 60)
        return f"{minutes}:{seconds:02}"


class Lines:
    """Plain lines, for logs and pipes; a status line every few seconds."""

    def __init__(self, console: Console, clock: Clock) -> None:
        self._console = console
        self._clock = clock
        self._next_status = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def tell(self, text: str) -> None:
        """Print it with the time."""
        self._console.print(f"{self._clock}  {text}", soft_wrap=True, highlight=False, markup=False)

    def show(self, sight: Sight, memory: Memory | None, new: Sequence[Decision]) -> None:  # noqa: ARG002 - protocol
        """Print new decisions at once, and how things stand from time to time."""
        for decision in new:
            self.tell(f"  {sentence(decision)}")
        if self._clock.seconds >= self._next_status:
            self._next_status = self._clock.seconds + _STATUS_SECONDS
            self.tell(f"  {status(sight)}")


class Tables:
    """Live tables on the terminal's second screen, so that the first one keeps what was on it."""

    def __init__(self, console: Console, clock: Clock) -> None:
        self._console = console
        self._clock = clock
        self._told: list[Text] = []
        self._live = Live(console=console, screen=True, auto_refresh=False, vertical_overflow="crop")

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()
        for line in self._told:
            self._console.print(line)

    def tell(self, text: str) -> None:
        """Add it to the story; it is seen with the next moment."""
        self._told.append(Text.assemble((f"{self._clock}  ", "cyan"), text))

    def show(self, sight: Sight, memory: Memory | None, new: Sequence[Decision]) -> None:  # noqa: ARG002 - protocol
        """Draw the moment."""
        low = self._console.height < _HEIGHT
        told, most = (self._told[-2:], 2) if low else (self._told[-_TOLD:], _DECIDED)
        decided = [] if memory is None else [*memory.decided.values()][-most:]
        self._live.update(tables.live(sight, told, decided), refresh=True)


def display(console: Console, clock: Clock, *, plain: bool) -> Display:
    """Return what suits the console."""
    return Lines(console, clock) if plain or not console.is_terminal else Tables(console, clock)


def console() -> Console:
    """Return the console of standard output, wide enough for tables where it is no terminal."""
    found = Console()
    return found if found.is_terminal else Console(width=_PLAIN_WIDTH)


def sentence(decision: Decision) -> str:
    """Return a decision as one line."""
    what = f"{decision.kind} by {decision.rail}" if decision.rail else decision.kind
    return f"{what}: {decision.pod or 'nobody'} on {decision.node or 'no node'}: {decision.why}"


def status(sight: Sight) -> str:
    """Return how things stand in one line."""
    seen = figures(sight)
    closed = f", {seen.closed} closed to new pods" if seen.closed else ""
    troubles = f"; troubles: {'; '.join(sight.troubles.values())}" if sight.troubles else ""
    return (
        f"fullest node {seen.score_on or '-'} R {tables.number(seen.score)}, worst slack "
        f"{tables.number(seen.slack, signed=True)} on {seen.slack_on or '-'}, "
        f"{len(sight.nodes)} nodes{closed}{troubles}"
    )
