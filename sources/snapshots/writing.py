"""A snapshot into a file, whole or not at all; changes nothing in it."""

import os
import tempfile
from pathlib import Path

from sources.snapshots.snapshot import ADAPTER, Snapshot, document


def dump_snapshot(snapshot: Snapshot) -> bytes:
    """Return a snapshot as JSON."""
    return ADAPTER.dump_json(document(snapshot), indent=1) + b"\n"


def write_snapshot(snapshot: Snapshot, path: Path) -> None:
    """Write a snapshot, readable for its owner alone: it names everything that runs in the cluster.

    Raises:
        OSError: the file cannot be written; nothing is left behind then.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(dump_snapshot(snapshot))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
