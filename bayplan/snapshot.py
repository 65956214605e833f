"""`bayplan snapshot`: save what a plan would be made of. Wires parts together, decides nothing."""

import secrets
from pathlib import Path

import click

from bayplan.live import Whence, live_snapshot, policy_of
from bayplan.options import kubeconfig_option, namespace_option, policy_option
from sources.snapshots.masking import mask
from sources.snapshots.writing import write_snapshot


@click.group()
def snapshot() -> None:
    """Save snapshots of a cluster."""


@snapshot.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--mask", "masked", is_flag=True, help="Replace every name, so that the file can be shown to others.")
@policy_option
@kubeconfig_option
@namespace_option
def save(file: Path, *, masked: bool, policy: Path | None, kubeconfig: Path | None, namespace: str) -> None:
    """Save the cluster to FILE for `bayplan plan solve`.

    The file has the cluster, the ledger and what is measured; the cluster is only read. Masked names cannot be turned
    back, and each file has other ones.
    """
    if not file.resolve().parent.is_dir():  # said before minutes of reading, not after
        raise click.UsageError(f"{file} cannot be written: there is no folder {file.resolve().parent}")
    taken = live_snapshot(Whence(kubeconfig=kubeconfig, namespace=namespace), policy_of(policy).policy)
    if masked:
        taken = mask(taken, salt=secrets.token_hex())
    try:
        write_snapshot(taken, file)
    except OSError as problem:
        raise click.UsageError(f"{file} cannot be written: {problem.strerror or problem}") from problem
    cluster = taken.cluster
    click.echo(f"{len(cluster.nodes)} nodes and {len(cluster.pods)} pods saved to {file}")
