"""A strategy for whole policies as an operator could write them: plain data, every field, every kind of value."""

from typing import Any, Final

from hypothesis import strategies as st

Data = dict[str, Any]

NAMES: Final = st.from_regex(r"[a-z]([-a-z0-9]{0,8}[a-z0-9])?", fullmatch=True)
WORDS: Final = st.sampled_from(
    ["off", "yes", "null", "1e3", "80", "~", "a: b", "# no", "'", '"', " x", "é ☃", "a\nb\n", "- 1"]
)
QUERIES: Final = WORDS | st.text(min_size=1, max_size=20).filter(lambda text: text.strip() and text.isprintable())
NUMBERS: Final = st.integers(-5, 5) | st.floats(-5, 5)
SECONDS: Final = st.integers(1, 10_000)
DURATIONS: Final = (
    SECONDS.map(lambda n: f"{n}s") | SECONDS.map(lambda n: f"{n}ms") | st.sampled_from(["1h30m", "2.5m", "1d"])
)
WINDOWS: Final = SECONDS.map(lambda n: f"{n}s")  # a day of steps is more than Prometheus answers
SHARES: Final = st.integers(0, 100).map(lambda n: f"{n}%") | st.floats(0, 1)
LABEL_VALUES: Final = st.from_regex(r"([A-Za-z0-9]([-._a-zA-Z0-9]{0,5}[A-Za-z0-9])?)?", fullmatch=True)
KEYS: Final = st.sampled_from(["app", "app.kubernetes.io/name", "tier", "Role_1"])


def part(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Data]:
    """A mapping with any choice of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


def requirements() -> st.SearchStrategy[Data]:
    """Selector requirements with as many values as their operator takes."""
    with_values = st.fixed_dictionaries(
        {
            "key": KEYS,
            "operator": st.sampled_from(["In", "NotIn"]),
            "values": st.lists(LABEL_VALUES, min_size=1, max_size=2),
        }
    )
    without = st.fixed_dictionaries({"key": KEYS, "operator": st.sampled_from(["Exists", "DoesNotExist"])})
    return with_values | without


SELECTORS: Final = part(
    matchLabels=st.dictionaries(KEYS, LABEL_VALUES, max_size=2), matchExpressions=st.lists(requirements(), max_size=2)
)
RESOURCES: Final = st.fixed_dictionaries(
    {"node": QUERIES, "zero": st.integers(-5, 0), "full": st.floats(1, 1e12)},
    optional=dict.fromkeys(("pressure", "pod", "workload", "age", "podAge"), QUERIES)
    | {"gate": st.floats(0, 2), "rateWindow": DURATIONS, "additive": st.booleans()},
)


@st.composite
def slos(draw: st.DrawFn) -> Data:
    """An objective with one of its two directions."""
    data: Data = draw(
        part(
            namespaces=st.lists(NAMES, max_size=2),
            age=QUERIES,
            per=st.sampled_from(["pod", "workload"]),
            window=WINDOWS,
        )
    )
    data |= {"name": draw(NAMES), "selector": draw(SELECTORS), "indicator": draw(QUERIES)}
    data[draw(st.sampled_from(["atMost", "atLeast"]))] = draw(DURATIONS | st.integers(1, 10**9) | st.floats(1e-9, 1e9))
    if draw(st.booleans()):
        data |= {"evictBelow": draw(st.floats(-5, 0)), "clearAbove": draw(st.floats(0, 1))}
    return data


def limits() -> st.SearchStrategy[list[Data]]:
    """Limits, each scope and window once."""
    one = st.fixed_dictionaries(
        {
            "scope": st.sampled_from(["workload", "namespace", "node", "cluster"]),
            "max": st.integers(0, 99),
            "window": SECONDS.map(lambda n: f"{n}s"),
        }
    )
    return st.lists(one, max_size=4, unique_by=lambda limit: (limit["scope"], limit["window"]))


PROMETHEUS: Final = part(
    url=st.sampled_from(["http://a:9090", "https://b/prometheus/", "c:9090", "[::1]:9090"]),
    timeout=DURATIONS,
    caFile=st.sampled_from(["/a", "/b c"]),
    insecureSkipVerify=st.booleans(),
    headers=st.dictionaries(
        st.sampled_from(["X-Scope-OrgID", "X-A"]), st.sampled_from(["1", "off", "a b"]), max_size=2
    ),
) | st.just({"basicAuth": {"username": "off", "passwordFile": "/p"}})
SIGNALS: Final = st.fixed_dictionaries(
    {"step": st.sampled_from(["15s", "1m"]), "staleAfter": st.integers(60, 999).map(lambda n: f"{n}s")},
    optional={
        "prometheus": PROMETHEUS,
        "minCoverage": SHARES,
        "nodeLabel": st.lists(st.sampled_from(["node", "_n"]), min_size=1, max_size=2),
        "resources": st.dictionaries(NAMES, RESOURCES, max_size=2),
    },
)
BUOYANCY: Final = part(
    filterBelow=st.floats(0, 1),
    descheduleBelow=st.floats(-1, 0),
    clearAbove=st.floats(0, 1),
    includeSlack=st.sampled_from(["off", "score", "filter"]),
    maxRefusedNodes=SHARES,
    maxHold=DURATIONS,
)
EVICTION: Final = part(
    mode=st.sampled_from(["observe", "enforce"]),
    paused=st.booleans(),
    limits=limits(),
    minReadyReplicas=st.integers(0, 9),
    minPodAge=DURATIONS,
    consecutive=st.integers(1, 9),
    coolDown=st.fixed_dictionaries({"initial": DURATIONS, "factor": st.floats(1, 9), "max": st.just("2d")}),
    onlyIfNodeBelow=st.just("off") | st.floats(-1, 1),
    maxBreachedShare=SHARES,
    fallBack=st.sampled_from(["next", "none"]),
    destination=st.sampled_from(["required", "off"]),
    protectedNamespaces=st.lists(NAMES, max_size=2),
)

PLAN: Final = part(
    trigger=st.sampled_from(["off", "periodic", "stable-queue", "scheduling-failure"]),
    relief=st.booleans(),
    blocking=st.booleans(),
    interval=DURATIONS,
    stableFor=DURATIONS,
    timeLimit=DURATIONS,
    solver=st.sampled_from(["bayplan", "released", "repaired"]),
    order=st.sampled_from(["placement-first", "frozen"]),
    evictForCount=st.booleans(),
    price=st.just("any") | st.integers(0, 99),
    maxDisruptions=st.integers(0, 500),
    maxGrace=DURATIONS,
    hold=st.sampled_from(["reservations", "all"]),
    maxHeld=st.integers(0, 99),
    beforePreemption=DURATIONS,
    realiseWithin=DURATIONS,
    nominate=st.booleans(),
    eviction=part(
        limits=limits(),
        minReadyReplicas=st.integers(0, 9),
        minPodAge=DURATIONS,
        coolDown=st.fixed_dictionaries({"initial": DURATIONS, "factor": st.floats(1, 9), "max": st.just("2d")}),
    ),
) | st.fixed_dictionaries(
    {"solver": st.just("command"), "command": st.lists(WORDS, min_size=1, max_size=2)},
)


def policies() -> st.SearchStrategy[Data]:
    """A whole policy."""
    return st.fixed_dictionaries(
        {"apiVersion": st.just("bayplan.dev/v1alpha1"), "kind": st.just("Policy")},
        optional={
            "scope": part(podSelector=SELECTORS, schedulerNames=st.lists(NAMES, min_size=1, max_size=2)),
            "signals": SIGNALS,
            "slos": st.lists(slos(), max_size=3, unique_by=lambda slo: slo["name"]),
            "buoyancy": BUOYANCY,
            "eviction": EVICTION,
            "steering": part(avoidSource=DURATIONS),
            "plan": PLAN,
        },
    )
