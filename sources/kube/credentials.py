"""Finding the API server and the credentials for it, through the kubernetes client's own configuration.

It opens kubeconfig and token files and may run an exec plugin; it makes no request.
"""

import logging
from pathlib import Path
from typing import Final

import yaml
from kubernetes.client import Configuration
from kubernetes.config import ConfigException, load_incluster_config, load_kube_config

from sources.kube.errors import Misconfigured

# An exec plugin's trouble reaches us as a log line of the vendor's only; let it through, drop its debug chatter.
logging.getLogger("kubernetes").setLevel(logging.WARNING)

_NO_FILE: Final = "no --kubeconfig, BAYPLAN_KUBECONFIG or KUBECONFIG is given, and this is no pod with a ServiceAccount"


def load(kubeconfig: Path | None) -> Configuration:
    """Return host, certificates and token: from the file, or from the pod's service account without one.

    Raises:
        Misconfigured: there is nothing usable; the text says where it was looked for.
    """
    configuration = Configuration()
    try:
        if kubeconfig is None:
            load_incluster_config(client_configuration=configuration)  # type: ignore[no-untyped-call]  # the vendor's gap
        else:
            load_kube_config(  # type: ignore[no-untyped-call]  # the vendor's gap
                config_file=str(kubeconfig), client_configuration=configuration
            )
    except (ConfigException, yaml.YAMLError, OSError, ValueError, TypeError, KeyError, AttributeError) as problem:
        place = _NO_FILE if kubeconfig is None else f"kubeconfig {kubeconfig}"
        raise Misconfigured(f"{place}: {problem}") from problem
    return configuration


def authorization(configuration: Configuration) -> str | None:
    """Return the Authorization header; a service account's token file is read again once a minute.

    Raises:
        Misconfigured: the token cannot be read now (a rotation may be half done: try again).
    """
    try:
        settings = configuration.auth_settings()
    except (ConfigException, OSError, ValueError) as problem:
        raise Misconfigured(f"token of {configuration.host}: {problem}") from problem
    token = settings.get("BearerToken")
    return None if token is None else token["value"]
