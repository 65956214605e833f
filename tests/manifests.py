"""Reads the kustomizations under deploy/ as far as they go, so that unit tests need no kubectl.

An end-to-end test compares what it reads with what `kubectl kustomize` renders.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from simulator.jsons import Raw, merged
from simulator.rights import Rights, rights_of

DEPLOY = Path(__file__).resolve().parents[1] / "deploy"
LAYOUTS = ("base", "overlays/control-plane-host", "overlays/service", "overlays/descheduler-deployment")
NAMESPACE = "bayplan-system"
EXTENDER_WORKLOADS = {
    "base": ("Deployment", "bayplan-scheduler"),
    "overlays/control-plane-host": ("DaemonSet", "bayplan-extender"),
    "overlays/service": ("Deployment", "bayplan-extender"),
    "overlays/descheduler-deployment": ("Deployment", "bayplan-scheduler"),
}


def identity(raw: Raw) -> tuple[str, str | None, str]:
    """Return kind, namespace and name."""
    return raw["kind"], raw["metadata"].get("namespace"), raw["metadata"]["name"]


def documents(path: Path) -> list[Raw]:
    """Return the documents of a YAML file."""
    return [raw for raw in yaml.safe_load_all(path.read_text()) if raw is not None]


def rendered(layout: str) -> list[Raw]:
    """Return the objects of a layout."""
    return list(_folder(DEPLOY / layout, []).values())


def find(layout: str, kind: str, name: str) -> Raw:
    """Return one object of a layout."""
    return next(raw for raw in rendered(layout) if (raw["kind"], raw["metadata"]["name"]) == (kind, name))


def pod_spec(workload: Raw) -> Raw:
    """Return the pod template's spec of any workload."""
    spec = workload["spec"]["jobTemplate"]["spec"] if workload["kind"] == "CronJob" else workload["spec"]
    found: Raw = spec["template"]["spec"]
    return found


def workloads(layout: str) -> list[Raw]:
    """Return what makes pods in a layout."""
    return [raw for raw in rendered(layout) if raw["kind"] in {"Deployment", "DaemonSet", "CronJob"}]


@dataclass(frozen=True, slots=True)
class Container:
    """A container of ours (its image runs `bayplan`) with the pod around it."""

    workload: Raw
    raw: Raw

    @property
    def arguments(self) -> dict[str, str]:
        """Return the flags with their values; a flag without one has an empty text."""
        flags = [argument for argument in self.raw["args"] if argument.startswith("--")]
        return {name: value for name, _, value in (flag.partition("=") for flag in flags)}


def containers(layout: str) -> list[Container]:
    """Return the containers that run the `bayplan` command."""
    return [
        Container(workload, raw)
        for workload in workloads(layout)
        for raw in pod_spec(workload)["containers"]
        if raw["image"].startswith("bayplan-")
    ]


@cache
def rights(service: str) -> Rights:
    """Return what the shipped roles let `extender` or `descheduler` do: tests run the services with no more."""
    return rights_of(rendered("base"), f"bayplan-{service}", namespace=NAMESPACE)


Objects = dict[tuple[str, str | None, str], Raw]


def _folder(folder: Path, below: list[Raw]) -> Objects:
    """Read one kustomization; a component sees what was read before it."""
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    objects: Objects = {identity(raw): raw for raw in below}
    for resource in kustomization.get("resources", ()):
        path = folder / resource
        found = _folder(path, []).values() if path.is_dir() else documents(path)
        objects |= {identity(raw): raw for raw in found}
    for generator in kustomization.get("configMapGenerator", ()):
        generated = _config_map(folder, generator)
        objects[identity(generated)] = generated
    for patch in kustomization.get("patches", ()):
        _apply(patch, objects)
    for component in kustomization.get("components", ()):
        objects = _folder(folder / component, list(objects.values()))
    images = {image["name"]: image["newTag"] for image in kustomization.get("images", ())}
    for raw in objects.values():
        _tag(raw, images)
    return objects


def _config_map(folder: Path, generator: Raw) -> Raw:
    data = {}
    for entry in generator["files"]:
        key, _, name = entry.rpartition("=")
        data[key or name] = (folder / name).read_text()
    meta = {"name": generator["name"], "namespace": generator["namespace"]}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}


def _apply(patch: Raw, objects: Objects) -> None:
    (key,) = [key for key in objects if (key[0], key[2]) == (patch["target"]["kind"], patch["target"]["name"])]
    change = yaml.safe_load(patch["patch"])
    if isinstance(change, dict) and change.get("$patch") == "delete":
        del objects[key]
        return
    for step in change:
        *way, last = [part.replace("~1", "/") for part in step["path"].strip("/").split("/")]
        wanted: Raw = {last: step["value"]}
        for part in reversed(way):
            wanted = {part: wanted}
        objects[key] = merged(objects[key], wanted)


def _tag(raw: Raw, images: dict[str, str]) -> None:
    if raw["kind"] in {"Deployment", "DaemonSet", "CronJob"}:
        for container in pod_spec(raw)["containers"]:
            name = container["image"].partition(":")[0]
            if name in images:
                container["image"] = f"{name}:{images[name]}"
