"""How a command ends: the documented exit codes, and an error for each that a command raises on purpose.

Anything else that is raised is a fault of Bayplan and ends with a traceback and code 1.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum

import click

from policies.model.problems import PolicyErrors, Problem


class Exit(IntEnum):
    """The exit codes of `bayplan`; docs/reference/cli.md explains them."""

    OK = 0
    INTERNAL = 1
    USAGE = 2
    BAD_POLICY = 3
    NO_LEASE = 4
    UNREACHABLE = 5
    BAD_SNAPSHOT = 6


class BadPolicy(click.ClickException):
    """The policy does not validate; prints every error, one a line."""

    exit_code = Exit.BAD_POLICY

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))

    def show(self, file: object = None) -> None:  # noqa: ARG002  # click's signature
        """Print the errors without a word before them, so that editors find file and line."""
        click.echo(self.format_message(), err=True)


@contextmanager
def policy_that_must_be_valid() -> Iterator[None]:
    """End the command with the faults of a policy that is read inside."""
    try:
        yield
    except PolicyErrors as errors:
        raise BadPolicy(errors.problems) from errors


class NoLease(click.ClickException):
    """Under `--once`: another process holds the leader Lease, nothing was done."""

    exit_code = Exit.NO_LEASE


class Unreachable(click.ClickException):
    """The Kubernetes API cannot be reached or refuses us."""

    exit_code = Exit.UNREACHABLE


class BadSnapshot(click.ClickException):
    """The file holds no snapshot; prints every fault, one a line."""

    exit_code = Exit.BAD_SNAPSHOT

    def show(self, file: object = None) -> None:  # noqa: ARG002  # click's signature
        """Print the faults without a word before them."""
        click.echo(self.format_message(), err=True)


class NotInstalled(click.ClickException):
    """What was asked for needs a part that is not installed."""

    exit_code = Exit.USAGE
