"""Forms of a hop and of a path: impairments, a NAT, or a medium."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form, LongPositiveTime, Switch
from lasthop.study.nbiot.amounts import Off
from lasthop.study.nbiot.form import Nbiot
from lasthop.study.paths.direction import Direction
from lasthop.study.paths.extension_link import ExtensionLink, ExtensionLinkNotation
from lasthop.study.paths.link_profiles import link_profile
from lasthop.study.paths.media import MEDIA, MediumEntry
from lasthop.study.paths.serial import Serial
from lasthop.study.paths.wlan import Wlan
from lasthop.study.text.faults import Fault, show, suggestion

if TYPE_CHECKING:
    import pathlib

DEFAULT_ORDER = ("mtu", "outage", "loss", "rate", "delay", "corrupt", "duplicate")
"""Default order in which a packet passes the impairments of a direction."""

MAXIMUM_HOPS = 16
MAXIMUM_PORTS = 64_512
"""Maximum number of ports of an IP address, without the well-known ones."""


class Nat(Form):
    """A NAT: a home router before one device, or a carrier-grade NAT for many devices."""

    udp: LongPositiveTime = Field(examples=["120 s"])
    """Time after which an unused UDP mapping expires."""
    tcp: LongPositiveTime = Field(default=7440 * 10**9, examples=["1 h"])
    """Time after which an unused TCP mapping expires. Default: 124 min (RFC 5382)."""
    rebind_every: LongPositiveTime | None = Field(default=None, examples=["5 min"])
    """Interval at which all mappings change."""
    ports: Annotated[int, Field(ge=1, le=MAXIMUM_PORTS)] = Field(
        default=MAXIMUM_PORTS, examples=["2000"]
    )
    """Number of ports of each protocol for mappings. A packet without a free port is dropped
    (`nat_no_port`)."""


class LinkForm(Direction):
    """Path of a device's packets, with equal directions or separate ``up:`` and ``down:``."""

    elsewhere: ClassVar[dict[str, str]] = {
        "wifi": 'write "wlan: {standard: g}", or "profile: wifi_good"',
        "name": "remove it; the name of a path is its key, and only the hops of a list have names",
    }

    profile: str | None = Field(default=None, examples=["lte"])
    """Named link with published values. Other keys replace its values."""

    up: Direction = Field(default_factory=Direction, examples=["{loss: 10 %}"])
    """Values for the direction away from the device."""
    down: Direction = Field(default_factory=Direction, examples=["{loss: 10 %}"])
    """Values for the direction towards the device."""
    shared: Switch = Field(default=False, examples=["on"])
    """Whether both directions use one rate and queue."""
    order: list[str] = Field(
        default_factory=lambda: list(DEFAULT_ORDER), examples=["[loss, rate, delay]"]
    )
    """Order of the listed impairments. The others keep their positions."""
    scope: Literal["own", "group", "all"] | None = Field(default=None, examples=["all"])
    """Who shares the hop: `own` for each device, one for its group, or one for all. Default: as the
    hop before it, and `own` for the first hop. A radio network is always one for all. A NAT is by
    default one for each device, with an address for each."""
    nat: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[Nat, Tag("<mapping>")], SCALAR_OR_MAPPING
        ]
        | None
    ) = Field(default=None, examples=["{udp: 120 s}"])
    """NAT behind the link of the path. `off` removes the NAT of a profile."""
    nbiot: Nbiot | None = Field(default=None, examples=["{coupling_loss: 154 dB}"])
    """NB-IoT network, instead of a separate link for each device."""
    wlan: Wlan | None = Field(default=None, examples=["{standard: g}"])
    """WLAN cell that all devices of the path share, unless `scope` changes that."""
    serial: Serial | None = Field(default=None, examples=["{rate: 9600 bit/s}"])
    """Serial line, separate for each device. With `scope: all` it is a bus that all share."""
    extension_link: Annotated[ExtensionLink | None, ExtensionLinkNotation()] = Field(
        default=None, examples=["toy_radio tries=3"]
    )
    """Link of an extension, with options in the notation of stacks. `scope` sets who shares it."""

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
        for medium in MEDIA:
            if not isinstance(data, dict) or medium.key not in data:
                continue
            for key in data:
                if key not in medium.beside and key in cls.written_keys():
                    raise Fault(
                        f"{medium.noun} cannot have the link key {show(key)}",
                        hint='write a list of hops, for example "'
                        f'[{{{medium.key}: ..}}, {{nat: ..}}]"',
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
                raise Fault(f"{show(name)} is written twice", hint="remove one", location=(index,))
        return order

    def full_order(self) -> list[str]:
        """Return the order of all impairments.

        Listed ones are reordered among their own positions.
        """
        named = iter(self.order)
        return [next(named) if name in self.order else name for name in DEFAULT_ORDER]

    @property
    def has_a_free_bottleneck(self) -> bool:
        """Return whether the path has a rate limit that only simulated devices use."""
        return any(
            side.rate is not None and side.background is None for side in (self.up, self.down)
        )

    @property
    def medium_of_its_own(self) -> tuple[MediumEntry, Any] | None:
        """Return the medium of the path with its settings; None for a link."""
        found = ((medium, getattr(self, medium.key)) for medium in MEDIA)
        return next((one for one in found if one[1] is not None), None)

    def link_spec(self, folder: pathlib.Path) -> dict[str, Any]:
        """Return the link as part of a run spec.

        Raises
        ------
        Fault
            If its settings contradict each other.
        """
        sides = {}
        for side, direction in (("up", self.up), ("down", self.down)):
            try:
                sides[side] = direction.spec(folder)
            except Fault as fault:
                raise fault.within((side,)) from None
        if self.shared:
            self._check_shared()
        return {"order": self.full_order(), "shared": self.shared, **sides}

    def link_words(self) -> dict[str, str]:
        """Return a description of each setting of the link."""
        up, down = self.up.words(), self.down.words()
        described: dict[str, str] = {}
        for name in {**up, **down}:
            there, back = up.get(name, "none"), down.get(name, "none")
            if there == back:
                described[name] = there
            else:
                described[f"{name} up"], described[f"{name} down"] = there, back
        if self.shared:
            described["rate and queue"] = "shared by both directions"
        described["order"] = ", ".join(self.full_order())
        return described

    def _check_shared(self) -> None:
        if self.up.rate is None or self.down.rate is None:
            raise Fault(
                "a shared link needs a rate",
                hint='write "rate: 50 kbit/s"',
                location=("shared",),
            )
        for key in ("rate", "rate_kind", "burst"):
            if getattr(self.up, key) != getattr(self.down, key):
                raise Fault(
                    f"a shared link has the same {key} in both directions",
                    hint=f'write it once, as "path.{key}"',
                    location=("up" if key in self.up.model_fields_set else "down", key),
                    at_key=True,
                )


_NO_LINK = {"name", "scope", "nat", "up", "down", *(medium.key for medium in MEDIA)}
"""Keys that do not make a hop a link."""


class HopForm(LinkForm):
    """A hop of a path that is written as a list, starting at the device."""

    elsewhere: ClassVar[dict[str, str]] = {
        key: hint for key, hint in LinkForm.elsewhere.items() if key != "name"
    }

    name: str | None = Field(default=None, examples=["wan"])
    """Name of the hop in events and of its random streams. Default: the path with the kind of the
    hop."""

    @property
    def is_link(self) -> bool:
        """Return whether the hop has any setting of a link."""
        given = self.model_fields_set - _NO_LINK
        return bool(given or self.up.model_fields_set or self.down.model_fields_set)


PathForm = Annotated[
    Annotated[LinkForm, Tag("<mapping>")]
    | Annotated[list[HopForm], Field(min_length=1, max_length=MAXIMUM_HOPS), Tag("<value>")],
    Discriminator(lambda path: "<value>" if isinstance(path, list) else "<mapping>"),
]
"""One link with its NAT, one radio network or WLAN, or a list of hops."""


def _of_profile(data: dict[str, Any]) -> dict[str, Any]:
    try:
        profile = link_profile(data["profile"])
    except Fault as fault:
        raise fault.within(("profile",)) from None
    return merge(dict(profile.path), data)


def merge(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Override the shared settings of both directions by those of one direction.

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
