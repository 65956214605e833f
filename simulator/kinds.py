"""The kinds that the in-memory API server knows, and how a request path names one; holds no object."""

from dataclasses import dataclass

from simulator.failures import Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of object.

    `status` tells that it has a status subresource: its main endpoint then drops changes of the status.
    `conditional` tells that an update must carry a resourceVersion (Leases, PDBs, all custom resources).
    """

    group: str
    version: str
    plural: str
    name: str
    namespaced: bool = True
    status: bool = False
    conditional: bool = False

    @property
    def api_version(self) -> str:
        """Return `apiVersion` as objects carry it."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """Return the name that error texts use: `leases.coordination.k8s.io`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def custom(self) -> bool:
        """Whether a CustomResourceDefinition defines it."""
        return self.group == "bayplan.dev"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a path points at: a collection when `name` is None; `namespace` None is the whole cluster."""

    kind: Kind
    namespace: str | None = None
    name: str | None = None
    subresource: str = ""


def _kinds(group: str, version: str, rows: str, *, conditional: bool = False) -> list[Kind]:
    """Read rows of `plural Kind [cluster] [status]`."""
    kinds = []
    for row in rows.strip().splitlines():
        plural, name, *flags = row.split()
        kinds.append(
            Kind(
                group=group,
                version=version,
                plural=plural,
                name=name,
                namespaced="cluster" not in flags,
                status="status" in flags,
                conditional=conditional or "conditional" in flags,
            )
        )
    return kinds


_CORE = """
nodes Node cluster status
namespaces Namespace cluster status
persistentvolumes PersistentVolume cluster status
pods Pod status
persistentvolumeclaims PersistentVolumeClaim status
replicationcontrollers ReplicationController status
services Service status
configmaps ConfigMap
secrets Secret
serviceaccounts ServiceAccount
events Event
"""
_APPS = """
deployments Deployment status
replicasets ReplicaSet status
statefulsets StatefulSet status
daemonsets DaemonSet status
controllerrevisions ControllerRevision
"""
_BATCH = """
jobs Job status
cronjobs CronJob status
"""
_STORAGE = """
storageclasses StorageClass cluster
csinodes CSINode cluster
csidrivers CSIDriver cluster
volumeattachments VolumeAttachment cluster status
"""
_BAYPLAN = """
evictionrecords EvictionRecord
deschedulerreports DeschedulerReport
placementplans PlacementPlan
planslots PlanSlot
"""

KINDS: tuple[Kind, ...] = (
    *_kinds("", "v1", _CORE),
    *_kinds("apps", "v1", _APPS),
    *_kinds("batch", "v1", _BATCH),
    *_kinds("policy", "v1", "poddisruptionbudgets PodDisruptionBudget status conditional"),
    *_kinds("coordination.k8s.io", "v1", "leases Lease conditional"),
    *_kinds("storage.k8s.io", "v1", _STORAGE),
    *_kinds("scheduling.k8s.io", "v1", "priorityclasses PriorityClass cluster"),
    *_kinds("events.k8s.io", "v1", "events Event"),
    *_kinds("metrics.k8s.io", "v1beta1", "nodes NodeMetrics cluster\npods PodMetrics"),
    *_kinds("bayplan.dev", "v1alpha1", _BAYPLAN, conditional=True),
)
_BY_PATH = {(kind.group, kind.version, kind.plural): kind for kind in KINDS}
_BY_NAME = {(kind.api_version, kind.name): kind for kind in KINDS}
_BY_PLURAL = {kind.plural: kind for kind in reversed(KINDS)}


def kind_named(plural: str) -> Kind:
    """Return the kind with this plural; where groups share one, the first of `KINDS`."""
    return _BY_PLURAL[plural]


def kind_of(raw: dict[str, object]) -> Kind:
    """Return the kind that an object names in `apiVersion` and `kind`."""
    named = (str(raw.get("apiVersion")), str(raw.get("kind")))
    if named not in _BY_NAME:
        raise ValueError(f"no kind {named[1]!r} in apiVersion {named[0]!r} is known; add it to simulator/kinds.py")
    return _BY_NAME[named]


def parse_path(path: str) -> Target:
    """Return what a request path points at.

    Raises:
        Failure: 404, as for a path that no API is registered for.
    """
    parts = path.strip("/").split("/")
    group, version, rest = _split(parts, path)
    namespace = None
    # `namespaces/x` is the Namespace object itself, `namespaces/x/pods` something in it
    if len(rest) > 2 and rest[0] == "namespaces" and (group, version, rest[2]) in _BY_PATH:  # noqa: PLR2004
        namespace, rest = rest[1], rest[2:]
    kind = _BY_PATH.get((group, version, rest[0]))
    if kind is None or len(rest) > 3 or (namespace is not None and not kind.namespaced):  # noqa: PLR2004
        raise Failure(404, "NotFound", f"the server could not find the requested resource (path {path})")
    name = rest[1] if len(rest) > 1 else None
    return Target(kind=kind, namespace=namespace, name=name, subresource="/".join(rest[2:]))


def _split(parts: list[str], path: str) -> tuple[str, str, list[str]]:
    match parts:
        case ["api", version, _, *_]:
            return "", version, parts[2:]
        case ["apis", group, version, _, *_]:
            return group, version, parts[3:]
        case _:
            raise Failure(404, "NotFound", f"the server could not find the requested resource (path {path})")
