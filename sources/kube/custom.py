"""What the codecs of Bayplan's own objects share: the API group, paths, references, words; knows no kind."""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeVar

from policies.values.workloads import WorkloadRef

GROUP: Final = "bayplan.dev"
VERSION: Final = "v1alpha1"
API_VERSION: Final = f"{GROUP}/{VERSION}"
E = TypeVar("E", bound=StrEnum)


def custom_path(namespace: str, plural: str, name: str | None) -> str:
    """Return the path of all objects of a kind in a namespace, or of one."""
    base = f"/apis/{API_VERSION}/namespaces/{namespace}/{plural}"
    return base if name is None else f"{base}/{name}"


def member(kind: type[E], text: str | None, otherwise: E) -> E:
    """Read a word of a status, which a newer version may have written."""
    return kind(text) if text in {known.value for known in kind} else otherwise


def encode_ref(ref: WorkloadRef | None) -> dict[str, str] | None:
    """Write a reference to an owner, None where there is none."""
    return None if ref is None else {"kind": ref.kind, "namespace": ref.namespace, "name": ref.name}


def decode_ref(raw: Mapping[str, str] | None) -> WorkloadRef | None:
    """Read a reference to an owner, None where there is none."""
    return None if not raw else WorkloadRef(raw["kind"], raw["namespace"], raw["name"])


def finite(figures: Mapping[str, float]) -> dict[str, float]:
    """Leave out what JSON cannot say."""
    return {name: figure for name, figure in figures.items() if math.isfinite(figure)}
