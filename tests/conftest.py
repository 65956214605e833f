"""What holds for every test: how Hypothesis searches. Fixtures live beside the tests that use them."""

import os

import hypothesis

# A loaded machine is no failure: the deadline and the speed check measure the machine, pytest-timeout stops what hangs.
hypothesis.settings.register_profile(
    "bayplan", deadline=None, print_blob=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
# In CI the same examples every time, so that red means the change and not the dice; at a desk each run searches anew.
hypothesis.settings.register_profile(
    "bayplan-ci", hypothesis.settings.get_profile("bayplan"), derandomize=True, database=None
)
hypothesis.settings.load_profile("bayplan-ci" if os.environ.get("CI") else "bayplan")
