"""The root of the policy and its sections."""

from typing import Literal

from pydantic import Field

from policies.model.buoyancy import Buoyancy
from policies.model.eviction import Eviction, Steering
from policies.model.fields import Section
from policies.model.scope import Scope
from policies.model.signals import Signals
from policies.model.slos import Slo


class Policy(Section):
    """Everything an operator tunes; both services read the same one."""

    api_version: Literal["bayplan.dev/v1alpha1"]
    kind: Literal["Policy"]
    scope: Scope = Field(default_factory=Scope)
    signals: Signals = Field(default_factory=Signals)
    slos: tuple[Slo, ...] = ()
    buoyancy: Buoyancy = Field(default_factory=Buoyancy)
    eviction: Eviction = Field(default_factory=Eviction)
    steering: Steering = Field(default_factory=Steering)
