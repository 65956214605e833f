"""The options that several subcommands share, with their environment variables; reads nothing by itself."""

import functools
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from bayplan.settings import DEFAULT_NAMESPACE, DEFAULT_POLICY, LogFormat, LogLevel, ProcessSettings
from policies.model.fields import seconds

Command = TypeVar("Command", bound=Callable[..., Any])
_FILE: Final = click.Path(dir_okay=False, path_type=Path)
_NAME: Final = re.compile(r"[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?")


def _object_name(_ctx: click.Context, _param: click.Parameter, text: str | None) -> str | None:
    """Refuse what no object can be called: every path that is made of it would be answered with 404, for ever."""
    if text is not None and not _NAME.fullmatch(text):
        raise click.BadParameter(f"{text!r} is no name of an object; allowed are small letters, digits, - and .")
    return text


def duration(_ctx: click.Context, _param: click.Parameter, text: str | None) -> float | None:
    """Read a duration as in the policy: `15s`, `1m30s`."""
    if text is None:
        return None
    try:
        wanted = seconds(text)
    except ValueError as problem:
        raise click.BadParameter(str(problem)) from problem
    if wanted <= 0:
        raise click.BadParameter(f"seen {text!r}; allowed is more than 0s")
    return wanted


def _usual_kubeconfig(_ctx: click.Context, _param: click.Parameter, given: Path | None) -> Path | None:
    """Outside of a pod take the file that kubectl takes, where none is given."""
    usual = Path(os.environ.get("HOME", "/nowhere")) / ".kube" / "config"
    in_pod = bool(os.environ.get("KUBERNETES_SERVICE_HOST"))
    return usual if given is None and not in_pod and usual.is_file() else given


def _kubeconfig_option(default: str, **settings: Any) -> Callable[[Command], Command]:  # noqa: ANN401  # click's settings
    return click.option(
        "--kubeconfig",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        envvar=["BAYPLAN_KUBECONFIG", "KUBECONFIG"],
        show_envvar=True,
        help=f"How to reach the Kubernetes API. Default: {default}.",
        **settings,
    )


# For commands that a person gives; a service never takes up a person's rights unasked.
kubeconfig_option = _kubeconfig_option(
    "in a pod its ServiceAccount, elsewhere ~/.kube/config", callback=_usual_kubeconfig
)
namespace_option = click.option(
    "--namespace",
    envvar="BAYPLAN_NAMESPACE",
    default=DEFAULT_NAMESPACE,
    callback=_object_name,
    show_envvar=True,
    show_default=True,
    help="Where Bayplan's own objects live.",
)
_OPTIONS: Final = (
    _kubeconfig_option("the ServiceAccount of the pod"),
    click.option(
        "--policy",
        type=_FILE,
        envvar="BAYPLAN_POLICY",
        default=DEFAULT_POLICY,
        show_envvar=True,
        show_default=True,
        help="The policy file; a valid change takes effect without a restart.",
    ),
    click.option(
        "--log-level",
        type=click.Choice(LogLevel, case_sensitive=False),
        envvar="BAYPLAN_LOG_LEVEL",
        default=LogLevel.INFO.value,
        show_envvar=True,
        show_default=True,
        help="The least important message that is logged.",
    ),
    click.option(
        "--log-format",
        type=click.Choice(LogFormat, case_sensitive=False),
        envvar="BAYPLAN_LOG_FORMAT",
        default=LogFormat.TEXT.value,
        show_envvar=True,
        show_default=True,
        help="Lines for people, or one JSON object a line.",
    ),
    namespace_option,
    click.option(
        "--pod-name",
        envvar=["BAYPLAN_POD_NAME", "POD_NAME"],
        callback=_object_name,
        show_envvar=True,
        help="This pod's name, for Leases and the wake annotation.",
    ),
    click.option("--node-name", envvar=["BAYPLAN_NODE_NAME", "NODE_NAME"], show_envvar=True, help="This pod's node."),
)


def common_options(command: Command) -> Callable[..., Any]:
    """Give a command the options of every service; it gets them as one `process: ProcessSettings`."""
    names = ProcessSettings.__dataclass_fields__

    @functools.wraps(command)
    def with_settings(**given: Any) -> Any:  # noqa: ANN401  # click passes whatever the other options are
        settings = ProcessSettings(**{name: given.pop(name) for name in names})
        return command(process=settings, **given)

    wrapped: Callable[..., Any] = with_settings
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def port_option(flag: str, *, default: int, meaning: str) -> Callable[[Command], Command]:
    """Return an option for a port to listen on; its variable is `BAYPLAN_` and the flag's name."""
    variable = "BAYPLAN_" + flag.removeprefix("--").replace("-", "_").upper()
    kind = click.IntRange(0, 65535)
    return click.option(
        flag, type=kind, envvar=variable, default=default, show_envvar=True, show_default=True, help=meaning
    )


output_option = click.option(
    "--output",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="Tables for people, JSON for programs.",
)

policy_option = click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    envvar="BAYPLAN_POLICY",
    show_envvar=True,
    help="The policy file. Default: a policy of nothing but default values.",
)
