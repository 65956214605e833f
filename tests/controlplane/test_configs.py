"""Configuration files of the programs."""

import yaml

from controlplane import configs, keys


def test_token_file_has_a_line_for_each_user_with_its_groups() -> None:
    users = [configs.User(name="admin", token="t1", groups=("a", "b")), configs.User(name="bob", token="t2")]

    assert configs.token_file(users) == 't1,admin,admin,"a,b"\nt2,bob,bob,""\n'


def test_kubeconfig_names_server_certificate_and_token() -> None:
    parsed = yaml.safe_load(configs.kubeconfig(server="https://127.0.0.1:1", ca_file="/ca.crt", token="t"))

    assert parsed["clusters"][0]["cluster"] == {"server": "https://127.0.0.1:1", "certificate-authority": "/ca.crt"}
    assert parsed["users"][0]["user"] == {"token": "t"}
    assert parsed["current-context"] == parsed["contexts"][0]["name"]


def test_extender_is_asked_by_bayplan_scheduler_with_the_shipped_values() -> None:
    made = configs.with_extender("http://127.0.0.1:8888/v1")

    assert made["percentageOfNodesToScore"] == 100
    assert [profile["schedulerName"] for profile in made["profiles"]] == ["bayplan-scheduler"]
    assert made["extenders"] == [
        {
            "urlPrefix": "http://127.0.0.1:8888/v1",
            "filterVerb": "filter",
            "prioritizeVerb": "prioritize",
            "preemptVerb": "preempt",
            "weight": 4,
            "httpTimeout": "500ms",
            "nodeCacheCapable": True,
            "ignorable": True,
        }
    ]


def test_extender_fields_can_be_changed() -> None:
    made = configs.with_extender("u", weight=1, http_timeout="200ms", scheduler_names=["a", "b"], ignorable=False)

    assert made["extenders"][0]["ignorable"] is False
    assert made["extenders"][0]["weight"] == 1
    assert [profile["schedulerName"] for profile in made["profiles"]] == ["a", "b"]


def test_a_shipped_configuration_is_pointed_at_this_run_and_not_changed_itself() -> None:
    shipped = {"kind": "KubeSchedulerConfiguration", "clientConnection": {"kubeconfig": "/etc/scheduler.conf"}}

    here = yaml.safe_load(configs.scheduler_configuration(shipped, kubeconfig_file="/run/k"))

    assert here["clientConnection"]["kubeconfig"] == "/run/k"
    assert here["leaderElection"] == {"leaderElect": False}
    assert shipped["clientConnection"] == {"kubeconfig": "/etc/scheduler.conf"}


def test_every_eviction_is_audited_whoever_asks() -> None:
    rules = yaml.safe_load(configs.audit_policy())["rules"]

    assert rules[0] == {"level": "Request", "resources": [{"group": "", "resources": ["pods/eviction"]}]}


def test_signing_keys_are_pem_and_differ() -> None:
    one, other = keys.make_signing_key(), keys.make_signing_key()

    assert one.startswith("-----BEGIN EC PRIVATE KEY-----\n")
    assert one.endswith("-----END EC PRIVATE KEY-----\n")
    assert one != other
