"""Roles grant what section 7 of the design names, and enough for all that the services do.

The tests of the services run under these roles too, so that a call without its right fails there at once.
"""

import time
from math import inf

import pytest

from extender.service import Service
from simulator.api_server import ApiServer
from simulator.calls import Call
from simulator.failures import Failure
from simulator.faults import Fail
from simulator.rights import Grant
from tests.descheduler.cycles import hot
from tests.manifests import DEPLOY, LAYOUTS, NAMESPACE, find, rendered, rights

READS = {"get", "list", "watch"}
RBAC = {"Role", "ClusterRole"}
# Section 7 of the design: what each service may change, and nothing else.
EXTENDER_WRITES = {("leases", "create"), ("leases", "patch"), ("leases", "delete"), ("pods", "patch")}
DESCHEDULER_WRITES = {
    ("pods/eviction", "create"),
    ("events", "create"),
    ("events", "patch"),
    ("evictionrecords", "create"),
    ("evictionrecords", "patch"),
    ("evictionrecords", "delete"),
    ("deschedulerreports", "create"),
    ("deschedulerreports", "update"),
    ("leases", "create"),
    ("leases", "update"),
}
PLAN_WRITES = {
    ("placementplans", "create"),
    ("placementplans", "patch"),
    ("placementplans", "delete"),
    ("planslots", "create"),
    ("planslots", "update"),
}


def writes(service: str) -> set[tuple[str, str]]:
    """Return what a service may change, whatever the namespace."""
    return {
        (resource, verb)
        for grant in rights(service).grants
        for resource in grant.resources
        for verb in grant.verbs - READS
    }


def test_services_may_change_what_the_design_names_and_nothing_else() -> None:
    assert writes("extender") == EXTENDER_WRITES
    assert writes("descheduler") == DESCHEDULER_WRITES | PLAN_WRITES


@pytest.mark.parametrize("service", ["extender", "descheduler"])
def test_only_evictions_and_events_reach_beyond_the_own_namespace(service: str) -> None:
    everywhere = [grant for grant in rights(service).grants if grant.namespace is None and grant.verbs - READS]

    assert {resource for grant in everywhere for resource in grant.resources} <= {"pods/eviction", "events"}
    assert {grant.namespace for grant in rights(service).grants} == {None, NAMESPACE}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_role_of_ours_has_a_wildcard_or_reads_secrets(layout: str) -> None:
    rules = [rule for raw in rendered(layout) if raw["kind"] in RBAC for rule in raw["rules"]]
    for rule in rules:
        assert "*" not in [*rule["apiGroups"], *rule["resources"], *rule["verbs"]]
        assert not {"secrets", "configmaps"} & set(rule["resources"])


def test_the_leader_lease_is_the_only_one_that_the_descheduler_takes_over() -> None:
    grants: list[Grant] = [grant for grant in rights("descheduler").grants if "update" in grant.verbs]

    assert [grant.names for grant in grants if "leases" in grant.resources] == [{"bayplan-descheduler"}]


def test_scheduler_of_the_base_layout_has_the_extenders_rights_and_kube_schedulers() -> None:
    roles = {
        raw["roleRef"]["name"]
        for raw in rendered("base")
        if raw["kind"] in {"RoleBinding", "ClusterRoleBinding"} and raw["subjects"][0]["name"] == "bayplan-scheduler"
    }

    assert roles == {
        "bayplan-extender",
        "bayplan-scheduler",
        "system:kube-scheduler",
        "system:volume-scheduler",
        "extension-apiserver-authentication-reader",
    }
    configuration = (DEPLOY / "base" / "scheduler-configuration.yaml").read_text()
    (lease,) = [rule for rule in find("base", "Role", "bayplan-scheduler")["rules"] if "resourceNames" in rule]
    assert f"resourceName: {lease['resourceNames'][0]}  #" in configuration


# ---------------------------------------------------------------------- the services at work


def test_descheduler_evicts_and_tells_under_its_roles() -> None:
    site = hot()
    process = site.process()

    process.run()
    process.run(after=60)
    process.run(after=600)

    made = {(call.resource, call.verb) for call in site.server.calls.of(user="a")}
    assert writes_of(made) == DESCHEDULER_WRITES - {("evictionrecords", "delete"), ("events", "patch")}
    assert site.evictions()[0] == "web-0"
    assert not site.server.calls.of("delete*", "pods*")


def writes_of(made: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the calls that change something."""
    return {(resource, verb) for resource, verb in made if verb not in READS}


def test_extender_gets_ready_and_explains_under_its_roles(extender: tuple[Service, ApiServer]) -> None:
    service, api = extender
    ends = time.monotonic() + 20
    while service.readiness.lacking() and time.monotonic() < ends:
        time.sleep(0.02)

    explained = service.explain("default", "web-0")

    assert service.readiness.lacking() == ()
    assert explained is not None
    assert service.readiness.report()["remarks"] == []
    assert refused(api.calls.of(user="extender-0")) == []


def refused(calls: list[Call]) -> list[str]:
    """Return the calls that the roles do not allow."""
    return [str(call) for call in calls if not any(grant.allows(call) for grant in rights("extender").grants)]


@pytest.mark.parametrize(
    "kind", ["storageclasses", "persistentvolumes", "persistentvolumeclaims", "jobs", "daemonsets"]
)
def test_a_right_that_is_missing_costs_what_needs_it_and_nothing_else(kind: str) -> None:
    site = hot()
    denied = Fail(Failure(403, "Forbidden", f"{kind} is forbidden"))
    site.server.faults.add(denied, path=f"*/{kind}", times=inf)

    site.process().run()

    assert site.evictions() == ["web-0"]
