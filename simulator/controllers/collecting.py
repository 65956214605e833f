"""The garbage collector: what is owned goes when its owner has gone."""

from simulator.kinds import KINDS
from simulator.store import Change, key_of
from simulator.writing import DeleteOptions, Writer


class Collector:
    """Deletes the dependents of a deleted object, pods with their grace period."""

    def react(self, change: Change, writer: Writer) -> None:
        """Look for orphans of what has just been removed."""
        if change.type != "DELETED":
            return
        uid = change.now["metadata"]["uid"]
        for kind in KINDS:
            for raw in list(writer.store.all(kind)):
                if any(entry["uid"] == uid for entry in raw["metadata"].get("ownerReferences") or ()):
                    writer.delete(kind, key_of(raw), DeleteOptions())
