"""A snapshot into a file, whole or not at all; changes nothing in it."""

import errno
import os
import tempfile
from pathlib import Path

from sources.snapshots.snapshot import ADAPTER, Snapshot, document


def dump_snapshot(snapshot: Snapshot) -> bytes:
    """Return a snapshot as JSON."""
    return ADAPTER.dump_json(document(snapshot), indent=1) + b"\n"


def write_snapshot(snapshot: Snapshot, path: Path) -> None:
    """Write a snapshot, readable for its owner alone: it names everything that runs in the cluster.

    A link stays one: what it leads to is written.

    Raises:
        OSError: the file cannot be written; nothing is left behind then.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        # A device or a pipe would be replaced by a file of its name, for everybody on the machine.
        raise FileExistsError(errno.EEXIST, "seen no ordinary file; allowed is one, or a new name", str(path))
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(dump_snapshot(snapshot))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
