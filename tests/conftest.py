"""What holds for every test: how Hypothesis searches. Fixtures live beside the tests that use them."""

import hypothesis

# A loaded machine is no failure: the deadline and the speed check measure the machine, pytest-timeout stops what hangs.
hypothesis.settings.register_profile(
    "bayplan", deadline=None, print_blob=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("bayplan")
