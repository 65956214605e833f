"""Where the public data sets stand: the folder named by BAYPLAN_DATA, else `../shared/data` beside the checkout.

The small ByteDance cluster is shipped with the project; what is in neither place is skipped by name.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

VARIABLE: Final = "BAYPLAN_DATA"
_CHECKOUT: Final = Path(__file__).resolve().parents[2]
_SHIPPED: Final = Path(__file__).with_name("data")


class Missing(Exception):  # noqa: N818  # it says what the data set is
    """A data set that is not here; the text says where it was looked for."""


def folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the data sets, whether it exists or not."""
    return Path(environment.get(VARIABLE) or _CHECKOUT.parent / "shared" / "data")


def file(name: str, *, environment: Mapping[str, str] = os.environ) -> Path:
    """Return a data set's file, the shipped one before another of its name.

    Raises:
        Missing: it is nowhere.
    """
    wanted = [_SHIPPED / name, folder(environment) / name]
    for path in wanted:
        if path.is_file():
            return path
    raise Missing(f"{name} is not in {wanted[1].parent} (set {VARIABLE} to its folder; docs/benchmarks-placements.md)")
