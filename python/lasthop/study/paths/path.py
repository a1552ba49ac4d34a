"""One hop of a path, or all of it: impairments each way and a NAT, or a radio network."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from lasthop.study.faults import Fault, show, suggestion
from lasthop.study.form import (
    SCALAR_OR_MAPPING,
    Form,
    LongPositiveTime,
    Percentage,
    Quantity,
    QueueLimit,
    QueueSize,
    Rate,
    Switch,
    Time,
)
from lasthop.study.nbiot.amounts import Off
from lasthop.study.nbiot.form import Nbiot
from lasthop.study.paths.impairments import DelayModel, LossProcess, Outage
from lasthop.study.paths.link_profiles import link_profile
from lasthop.study.quantity import SIZE

DEFAULT_ORDER = ("mtu", "outage", "loss", "rate", "delay", "corrupt", "duplicate")
"""The order in which a packet meets the impairments of a direction."""

MAXIMUM_HOPS = 16

_MTU_MINIMUM_BYTES = 68
_MTU_MAXIMUM_BYTES = 65_535


class Nat(Form):
    """A NAT in front of the device."""

    udp: LongPositiveTime = Field(examples=["120 s"])
    """A UDP mapping without a packet for this time is forgotten."""
    tcp: LongPositiveTime = Field(default=7440 * 10**9, examples=["1 h"])
    """The same for TCP; by default 124 min, as RFC 5382 asks for."""
    rebind_every: LongPositiveTime | None = Field(default=None, examples=["5 min"])
    """All mappings are changed at this interval."""


class Direction(Form):
    """The impairments of one direction."""

    elsewhere: ClassVar[dict[str, str]] = {
        key: f'it is the same both ways; write it as "path.{key}"'
        for key in ("shared", "order", "nat", "profile", "scope")
    }

    loss: Annotated[
        Annotated[Percentage, Tag("<value>")] | Annotated[LossProcess, Tag("<mapping>")],
        SCALAR_OR_MAPPING,
    ] = Field(default=0.0, examples=["10 %"])
    """Loss of packets, independent or as a process."""
    outages: list[Outage] = Field(
        default_factory=list, max_length=1000, examples=["[{start: 7 s, for: 30 s}]"]
    )
    """Times in which nothing passes."""
    delay: Annotated[
        Annotated[Time, Tag("<value>")] | Annotated[DelayModel, Tag("<mapping>")],
        SCALAR_OR_MAPPING,
    ] = Field(default=0, examples=["100 ms"])
    """Delay of packets, constant or varying."""
    reordering: Switch = Field(default=True, examples=["off"])
    """Whether a packet may overtake another one."""
    rate: Rate | None = Field(default=None, examples=["6.25 kB/s"])
    """Rate of IP bytes; without it the link is infinitely fast."""
    rate_kind: Literal["token_bucket", "serial"] = Field(
        default="token_bucket", examples=["token_bucket"]
    )
    """A token bucket that lets bursts pass, or a line that sends bit by bit."""
    burst: Annotated[int, Quantity(SIZE, "1600 B", minimum=1)] = Field(
        default=1600, examples=["1600 B"]
    )
    """Size of the token bucket."""
    queue: Annotated[QueueLimit, QueueSize()] = Field(
        default=QueueLimit(64_000, "bytes"), examples=["64 kB"]
    )
    """What waits in front of the rate before packets are dropped at the tail."""
    duplicate: Percentage = Field(default=0.0, examples=["1 %"])
    """Probability that a packet arrives twice."""
    corrupt: Percentage = Field(default=0.0, examples=["1 %"])
    """Probability that a bit of a packet is changed."""
    mtu: Annotated[int, Quantity(SIZE, "1500 B", minimum=_MTU_MINIMUM_BYTES)] = Field(
        default=1500, examples=["1500 B"]
    )
    """Largest IP packet."""

    @field_validator("mtu")
    @classmethod
    def _mtu_fits(cls, mtu: int) -> int:
        if mtu > _MTU_MAXIMUM_BYTES:
            raise Fault("the MTU is above 65535 B", hint='write "1500 B"')
        return mtu


class Path(Direction):
    """The path of a device's packets: both ways alike, or ``up:`` and ``down:`` apart."""

    not_yet: ClassVar[dict[str, str]] = {"wifi": 'write "profile: wifi_good", say'}
    elsewhere: ClassVar[dict[str, str]] = {
        "name": "a path has the name of its key; the hops of a list have names of their own"
    }

    profile: str | None = Field(default=None, examples=["lte"])
    """A link by its name, with figures that have sources; keys beside it replace its own."""

    up: Direction = Field(default_factory=Direction, examples=["{loss: 10 %}"])
    """What differs away from the device."""
    down: Direction = Field(default_factory=Direction, examples=["{loss: 10 %}"])
    """What differs towards the device."""
    shared: Switch = Field(default=False, examples=["on"])
    """Whether both directions use one rate and queue."""
    order: list[str] = Field(
        default_factory=lambda: list(DEFAULT_ORDER), examples=["[loss, rate, delay]"]
    )
    """The order of the named impairments; the others keep their positions."""
    scope: Literal["own", "group", "all"] | None = Field(default=None, examples=["all"])
    """Whose it is: each device's own, or one for its group or for all; by default as that of the
    hop before it, at first each device's own. A radio network is one for all; the mappings of a NAT
    are each device's own."""
    nat: Nat | Off | None = Field(default=None, examples=["{udp: 120 s}"])
    """A NAT on the path, behind its link; `off` for none where the profile has one."""
    nbiot: Nbiot | None = Field(default=None, examples=["{coupling_loss: 154 dB}"])
    """An NB-IoT network in place of a link of their own for each device."""

    @model_validator(mode="before")
    @classmethod
    def _merge_directions(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        if "profile" in data:
            data = _of_profile(data)
        both = {key: value for key, value in data.items() if key in Direction.written_keys()}
        merged = dict(data)
        for side in ("up", "down"):
            own = data.get(side, {})
            merged[side] = merge(both, own) if isinstance(own, dict) else own
        return merged

    @model_validator(mode="before")
    @classmethod
    def _one_medium(cls, data: object) -> object:
        if isinstance(data, dict) and "nbiot" in data:
            for key in data:
                if key not in ("nbiot", "name") and key in cls.written_keys():
                    raise Fault(
                        f"a radio network has no {show(key)} of a link",
                        hint='write a list of hops, as "[{nbiot: ..}, {nat: ..}]"',
                        location=(key,),
                        at_key=True,
                    )
        return data

    @field_validator("order", mode="before")
    @classmethod
    def _known_order(cls, order: object) -> object:
        if not isinstance(order, list):
            raise Fault(f"{show(order)} is not a list", hint='write "[loss, rate, delay]"')
        for index, name in enumerate(order):
            if name not in DEFAULT_ORDER:
                hint = suggestion(str(name), DEFAULT_ORDER, kind="impairments")
                raise Fault(f"unknown impairment {show(name)}", hint=hint, location=(index,))
            if name in order[:index]:
                raise Fault(f"{show(name)} stands twice", hint="remove one", location=(index,))
        return order

    def full_order(self) -> list[str]:
        """Give all impairments: the named ones in their order within the slots they hold."""
        named = iter(self.order)
        return [next(named) if name in self.order else name for name in DEFAULT_ORDER]


class HopForm(Path):
    """One hop of a path that is a list of them, from the device on."""

    elsewhere: ClassVar[dict[str, str]] = {}

    name: str | None = Field(default=None, examples=["wan"])
    """What events call it, by default its path with its kind; its random streams have it too."""

    @property
    def is_link(self) -> bool:
        """Whether it says anything of a link."""
        given = self.model_fields_set - {"name", "scope", "nat", "nbiot", "up", "down"}
        return bool(given or self.up.model_fields_set or self.down.model_fields_set)


PathForm = Annotated[
    Annotated[Path, Tag("<mapping>")]
    | Annotated[list[HopForm], Field(min_length=1, max_length=MAXIMUM_HOPS), Tag("<value>")],
    Discriminator(lambda path: "<value>" if isinstance(path, list) else "<mapping>"),
]
"""One link with its NAT, one radio network, or a list of hops."""


def _of_profile(data: dict[str, Any]) -> dict[str, Any]:
    try:
        profile = link_profile(data["profile"])
    except Fault as fault:
        raise fault.within(("profile",)) from None
    return merge(dict(profile.path), data)


def merge(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Lay the keys of one direction over those of both.

    A mapping is merged key by key with one that has a key in common, and replaces it otherwise.

    Examples
    --------
    >>> merge({"delay": {"around": "100 ms", "spread": "20 %"}}, {"delay": {"spread": "5 %"}})
    {'delay': {'around': '100 ms', 'spread': '5 %'}}
    >>> merge({"delay": {"around": "100 ms", "spread": "20 %"}}, {"delay": {"normal": {}}})
    {'delay': {'normal': {}}}
    """
    merged = dict(base)
    for key, value in own.items():
        below = merged.get(key)
        alike = isinstance(value, dict) and isinstance(below, dict) and value.keys() & below.keys()
        merged[key] = merge(below, value) if alike and isinstance(below, dict) else value
    return merged
