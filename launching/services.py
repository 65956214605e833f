"""A running service: started, ready, watched, ended by its own process id, with its log and its pages."""

from types import TracebackType
from typing import Self

from launching.launches import Launch, Policy
from launching.pages import Pages


class Service(Pages):
    """A context manager, ready when entered, ended when left; `program` has the switches (kill, pause, tail)."""

    def __init__(self, launch: Launch) -> None:
        super().__init__(launch.admin)
        self.launch = launch
        self.program = launch.program()

    def __enter__(self) -> Self:
        self.program.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        self.program.stop(self.launch.grace)

    @property
    def name(self) -> str:
        """Return the name of its log and, unless another was given, of its pod."""
        return self.launch.name

    @property
    def url(self) -> str:
        """Return where kube-scheduler calls it, if it is an extender."""
        return self.launch.url

    def use(self, policy: Policy) -> None:
        """Give it another policy while it runs."""
        self.launch.write(policy)
