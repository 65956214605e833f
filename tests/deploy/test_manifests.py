"""Every object of every layout is well formed, unprivileged, and agrees with the command that it runs."""

import re
from pathlib import Path

import click
import pytest
import yaml

from bayplan import presets
from bayplan.cli import main
from bayplan.settings import DEFAULT_NAMESPACE, DEFAULT_POLICY
from policies.model.loading import load
from tests.manifests import (
    DEPLOY,
    EXTENDER_WORKLOADS,
    LAYOUTS,
    NAMESPACE,
    Container,
    containers,
    documents,
    find,
    identity,
    pod_spec,
    rendered,
    workloads,
)

CLUSTER_WIDE = {"Namespace", "CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding"}
every_layout = pytest.mark.parametrize("layout", LAYOUTS)
every_container = pytest.mark.parametrize(
    "container",
    [pytest.param(one, id=f"{layout}:{one.raw['name']}") for layout in LAYOUTS for one in containers(layout)],
)
SCHEDULER_CONFIGURATIONS = sorted(DEPLOY.rglob("scheduler-configuration.yaml"))


@every_layout
def test_objects_have_names_and_stand_in_one_namespace(layout: str) -> None:
    for raw in rendered(layout):
        assert raw["apiVersion"]
        kind, namespace, name = identity(raw)
        assert re.fullmatch(r"[a-z0-9.-]+", name)
        allowed = {None} if kind in CLUSTER_WIDE else {NAMESPACE, "kube-system"}
        assert namespace in allowed, (kind, name)


@every_layout
def test_pods_run_without_privileges(layout: str) -> None:
    for workload in workloads(layout):
        spec = pod_spec(workload)
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["runAsUser"] > 0
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in spec["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert {"cpu", "memory"} <= container["resources"]["requests"].keys()


@every_layout
def test_no_service_of_the_namespace_can_set_a_variable_of_ours(layout: str) -> None:
    assert all(pod_spec(workload)["enableServiceLinks"] is False for workload in workloads(layout))


@every_layout
def test_only_the_control_plane_host_needs_the_hosts_network(layout: str) -> None:
    expected = layout == "overlays/control-plane-host"

    uses = any(pod_spec(workload).get("hostNetwork", False) for workload in workloads(layout))
    level = find(layout, "Namespace", NAMESPACE)["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]

    assert (uses, level) == (expected, "privileged" if expected else "restricted")


@every_layout
def test_volumes_accounts_and_images_exist(layout: str) -> None:
    maps = {raw["metadata"]["name"] for raw in rendered(layout) if raw["kind"] == "ConfigMap"}
    accounts = {raw["metadata"]["name"] for raw in rendered(layout) if raw["kind"] == "ServiceAccount"}
    for workload in workloads(layout):
        spec = pod_spec(workload)
        assert spec["serviceAccountName"] in accounts
        assert {volume["configMap"]["name"] for volume in spec["volumes"] if "configMap" in volume} <= maps
        for container in spec["containers"]:
            mounted = {mount["name"] for mount in container["volumeMounts"]}
            assert mounted <= {volume["name"] for volume in spec["volumes"]}
            assert re.fullmatch(r"[a-z0-9./-]+:v?\d+\.\d+\.\d+", container["image"])


def command_of(container: Container) -> click.Command:
    """Return the click command that a container runs."""
    service, verb = container.raw["args"][:2]
    group = main.get_command(click.Context(main), service)
    assert isinstance(group, click.Group)
    return group.commands[verb]


@every_container
def test_arguments_are_those_of_the_command(container: Container) -> None:
    known = {flag for parameter in command_of(container).params for flag in parameter.opts}

    assert container.arguments.keys() <= known
    assert len(container.arguments) == len(container.raw["args"]) - 2


@every_container
def test_environment_is_what_the_command_reads(container: Container) -> None:
    read: set[str] = set()
    for parameter in command_of(container).params:
        read |= {parameter.envvar} if isinstance(parameter.envvar, str) else set(parameter.envvar or ())

    given = {entry["name"] for entry in container.raw["env"]}

    assert given == {"BAYPLAN_NAMESPACE", "POD_NAME", "NODE_NAME"}
    assert given <= read


@every_container
def test_policy_is_mounted_where_the_command_looks(container: Container) -> None:
    mounts = {mount["name"]: mount["mountPath"] for mount in container.raw["volumeMounts"]}

    assert mounts["policy"] == str(DEFAULT_POLICY.parent)
    assert mounts["tmp"] == "/tmp"  # noqa: S108  # the path in the container; nothing is opened here
    assert DEFAULT_NAMESPACE == NAMESPACE


@every_container
def test_ports_and_probes_are_those_listened_on(container: Container) -> None:
    ports = {port["name"]: port["containerPort"] for port in container.raw.get("ports", ())}
    probes = [
        container.raw[kind] for kind in ("startupProbe", "livenessProbe", "readinessProbe") if kind in container.raw
    ]
    if container.workload["kind"] == "CronJob":
        assert (ports, probes) == ({}, [])
        return
    arguments = container.arguments
    admin = arguments.get("--admin-port", arguments.get("--port"))

    assert ports["admin"] == int(admin or 0)
    assert [probe["httpGet"]["port"] for probe in probes] == ["admin"] * 3
    assert [probe["httpGet"]["path"] for probe in probes] == ["/healthz", "/healthz", "/readyz"]
    if "webhook" in ports:
        assert ports["webhook"] == int(arguments["--port"])


@every_layout
def test_policy_is_valid_observes_and_names_the_scheduler_that_asks(layout: str) -> None:
    text = find(layout, "ConfigMap", "bayplan-policy")["data"]["policy.yaml"]
    own = layout in {"base", "overlays/descheduler-deployment"}

    loaded = load(text, file="policy.yaml")

    assert loaded.policy.eviction.mode == "observe"
    assert loaded.policy.scope.scheduler_names == ("bayplan-scheduler" if own else "default-scheduler",)


@every_layout
def test_policy_is_the_preset_but_for_the_scheduler(layout: str) -> None:
    preset = presets.text("kubelet-psi").splitlines()
    text = find(layout, "ConfigMap", "bayplan-policy")["data"]["policy.yaml"].splitlines()

    assert len(text) == len(preset), "run deploy/refresh-policies"
    changed = [ours for theirs, ours in zip(preset, text, strict=True) if theirs != ours]
    assert all(line.strip().startswith("schedulerNames: ") for line in changed), "run deploy/refresh-policies"


@pytest.mark.parametrize("path", SCHEDULER_CONFIGURATIONS, ids=lambda path: path.parent.name)
def test_scheduler_asks_the_extender_as_the_protocol_wants(path: Path) -> None:
    (configuration,) = documents(path)
    (extender,) = configuration["extenders"]
    (profile,) = configuration["profiles"]

    assert configuration["percentageOfNodesToScore"] == 100
    assert profile["pluginConfig"][0]["args"]["minCandidateNodesPercentage"] == 100
    assert (extender["nodeCacheCapable"], extender["ignorable"], extender["weight"]) == (True, True, 4)
    assert extender["httpTimeout"] == "500ms"
    assert extender["urlPrefix"].endswith("/v1")
    assert [extender[f"{verb}Verb"] for verb in ("filter", "prioritize", "preempt")] == [
        "filter",
        "prioritize",
        "preempt",
    ]


@pytest.mark.parametrize("path", SCHEDULER_CONFIGURATIONS, ids=lambda path: path.parent.name)
def test_each_value_of_the_extender_has_its_reason(path: Path) -> None:
    text = path.read_text()
    names = (
        "urlPrefix",
        "preemptVerb",
        "weight",
        "httpTimeout",
        "nodeCacheCapable",
        "ignorable",
        "percentageOfNodesToScore",
    )

    lines = [line for name in names for line in text.splitlines() if re.match(rf"[- ]*{name}: ", line)]

    assert len(lines) == len(names)
    assert all("  # " in line for line in lines)


@pytest.mark.parametrize("layout", ["base", "overlays/control-plane-host", "overlays/service"])
def test_scheduler_calls_the_port_that_the_extender_listens_on(layout: str) -> None:
    (configuration,) = documents(DEPLOY / layout / "scheduler-configuration.yaml")
    kind, name = EXTENDER_WORKLOADS[layout]
    (container,) = [one for one in containers(layout) if identity(one.workload)[0::2] == (kind, name)]
    url = configuration["extenders"][0]["urlPrefix"]

    scheme, host, port = re.fullmatch(r"(https?)://([\d.]+):(\d+)/v1", url).groups()  # type: ignore[union-attr]  # or the test fails

    assert port == container.arguments["--port"]
    if layout == "overlays/service":
        service = find(layout, "Service", "bayplan-extender")
        assert (scheme, host) == ("https", service["spec"]["clusterIP"])
        assert {"--tls-certificate", "--tls-key", "--tls-client-ca"} <= container.arguments.keys()
    else:
        assert (scheme, host) == ("http", "127.0.0.1")
        assert container.arguments["--host"] == "127.0.0.1"


@pytest.mark.parametrize("layout", ["overlays/control-plane-host", "overlays/service"])
def test_kubeadm_is_told_of_the_configuration(layout: str) -> None:
    (fragment,) = documents(DEPLOY / layout / "kubeadm-scheduler.yaml")
    (argument,) = fragment["scheduler"]["extraArgs"]
    (volume,) = fragment["scheduler"]["extraVolumes"]

    assert argument == {"name": "config", "value": f"{volume['mountPath']}/scheduler.yaml"}


def test_cron_job_never_runs_twice_at_once_and_ends() -> None:
    spec = find("base", "CronJob", "bayplan-descheduler")["spec"]

    assert spec["concurrencyPolicy"] == "Forbid"
    assert spec["jobTemplate"]["spec"]["activeDeadlineSeconds"] >= 120
    assert spec["jobTemplate"]["spec"]["backoffLimit"] == 0


def test_loop_takes_the_place_of_the_cron_job() -> None:
    kinds = {raw["kind"] for raw in workloads("overlays/descheduler-deployment")}

    assert kinds == {"Deployment"}
    assert (
        "--once"
        not in find("overlays/descheduler-deployment", "Deployment", "bayplan-descheduler")["spec"]["template"]["spec"][
            "containers"
        ][0]["args"]
    )


@every_layout
def test_network_policies_open_ports_that_exist(layout: str) -> None:
    names = {port["name"] for one in containers(layout) for port in one.raw.get("ports", ())}
    for policy in rendered(layout):
        if policy["kind"] == "NetworkPolicy":
            for rule in policy["spec"].get("ingress", ()):
                assert {port["port"] for port in rule["ports"]} <= names


@pytest.mark.parametrize("service", ["extender", "descheduler"])
def test_image_holds_every_package_and_the_makefiles_uv(service: str) -> None:
    root = DEPLOY.parent
    text = (DEPLOY / "images" / f"Containerfile.{service}").read_text()
    packages = re.search(r"^packages = \[(.*)\]$", (root / "pyproject.toml").read_text(), re.MULTILINE)
    uv = re.search(r"^UV_VERSION := (.*)$", (root / "Makefile").read_text(), re.MULTILINE)
    assert packages is not None
    assert uv is not None

    copied = re.findall(r"^COPY (\w+) \1$", text, re.MULTILINE)

    assert copied == yaml.safe_load(f"[{packages[1]}]")
    assert f"uv=={uv[1]}" in text
    assert "USER 65532:65532" in text
