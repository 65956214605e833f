"""kube-apiserver: RBAC, static test tokens beside real ServiceAccount tokens, an audit log of evictions and writes."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from controlplane import configs, keys
from controlplane.building import Binaries
from controlplane.probing import http_ok
from controlplane.processes import Command, Program
from controlplane.programs import etcd
from controlplane.runs import Run

# Both need a controller-manager: without one no pod would have a ServiceAccount, no node would lose its taint.
_NEED_CONTROLLERS = "ServiceAccount,TaintNodesByCondition"


def server(run: Run) -> str:
    """Return the URL of the API server."""
    return f"https://127.0.0.1:{run.port('kube-apiserver')}"


def ca_file(run: Run) -> Path:
    """Return the certificate that the API server makes for itself when it starts."""
    return run.subfolder("apiserver") / "apiserver.crt"


def audit_log(run: Run) -> Path:
    """Return the file with one JSON line per audited request."""
    return run.folder / "audit.log"


def kube_apiserver(
    run: Run, binaries: Binaries, *, users: Iterable[configs.User], controllers: bool, flags: Sequence[str] = ()
) -> Program:
    """Return the API server of a run; `controllers` says whether a controller-manager will serve it."""
    signing_key = run.write("service-accounts.key", keys.make_signing_key())
    arguments = [
        binaries.path("kube-apiserver"),
        f"--etcd-servers={etcd.endpoint(run)}",
        "--bind-address=127.0.0.1",
        # No interface but loopback is needed; a Service `kubernetes` with this address would not be valid.
        "--advertise-address=127.0.0.1",
        "--endpoint-reconciler-type=none",
        f"--secure-port={run.port('kube-apiserver')}",
        f"--cert-dir={ca_file(run).parent}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-signing-key-file={signing_key}",
        f"--service-account-key-file={signing_key}",
        f"--token-auth-file={run.write('tokens.csv', configs.token_file(users))}",
        "--authorization-mode=RBAC",
        "--service-cluster-ip-range=10.96.0.0/16",
        f"--audit-policy-file={run.write('audit-policy.yaml', configs.audit_policy())}",
        f"--audit-log-path={audit_log(run)}",
        "--audit-log-maxsize=0",
        "--profiling=false",
        *([] if controllers else [f"--disable-admission-plugins={_NEED_CONTROLLERS}"]),
        *flags,
    ]
    ready = http_ok(f"{server(run)}/readyz", ca_file=ca_file(run))
    return run.program(Command(name="kube-apiserver", arguments=arguments, ready=ready, within=120))
