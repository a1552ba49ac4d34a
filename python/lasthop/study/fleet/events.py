"""Events of the long form: what happens to servers, hops and groups in the middle of a run."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from lasthop.study.faults import Fault
from lasthop.study.form import Form, LongPositiveTime, LongTime
from lasthop.study.traffic.ends import End, EndOf

EventKind = Literal["outage", "power_cut", "new_address", "change_path", "restart"]

KINDS: tuple[EventKind, ...] = ("outage", "power_cut", "new_address", "change_path", "restart")

_LASTS: tuple[EventKind, ...] = ("outage", "power_cut")
_OFF: tuple[EventKind, ...] = ("power_cut", "restart")


class EventForm(Form):
    """One thing that happens at a time of the run."""

    start: LongTime = Field(examples=["5 d"])
    """When, since the start of the run. A quick look leaves out what happens after its end."""
    outage: str | None = Field(default=None, examples=["head_end"])
    """A server, a path or a hop that lets nothing through."""
    power_cut: Annotated[End, EndOf("meters")] | None = Field(
        default=None, examples=["20 % of meters"]
    )
    """Devices that crash, and start again when it is over."""
    new_address: Annotated[End, EndOf("meters")] | None = Field(default=None, examples=["meters"])
    """Devices that get another address."""
    change_path: Annotated[End, EndOf("meters")] | None = Field(default=None, examples=["meters"])
    """Devices that go over to another path, as from Wi-Fi to cellular."""
    restart: Annotated[End, EndOf("meters")] | None = Field(default=None, examples=["head_end"])
    """A server or devices that stop in good order and start again."""
    lasts: LongPositiveTime | None = Field(default=None, alias="for", examples=["30 min"])
    """How long an outage or a power cut lasts, or for how long who restarts is off: 5 s by
    default."""
    spread: LongTime | None = Field(default=None, examples=["30 s"])
    """Each host comes back later by up to this much: by default 10 s where they are devices, and
    0 s for a server."""
    to: str | None = Field(default=None, examples=["cellular"])
    """The other path."""
    survives: Literal["nothing", "sessions", "tickets"] | None = Field(
        default=None, examples=["sessions"]
    )
    """What is still known after a power cut or a restart: nothing by default, sessions on flash, or
    tickets alone."""

    @model_validator(mode="after")
    def _one_kind(self) -> EventForm:
        given = [kind for kind in KINDS if kind in self.model_fields_set]
        if len(given) != 1:
            both = f"both {given[0]} and {given[1]} are given" if given else "says not what happens"
            raise Fault(both, hint=f"write one of {', '.join(KINDS)}")
        kind = given[0]
        if kind != "restart":
            self._needs("lasts", "for", "30 min", wanted=kind in _LASTS, kind=kind)
        self._needs("to", "to", "cellular", wanted=kind == "change_path", kind=kind)
        if kind not in _OFF:
            self._ends_nothing("survives", f"{kind} ends nothing that could survive")
            self._ends_nothing("spread", f"{kind} sends nobody away who would come back")
        return self

    def _ends_nothing(self, key: str, what: str) -> None:
        if getattr(self, key) is not None:
            raise Fault(what, hint="remove it", location=(key,), at_key=True)

    def _needs(self, name: str, key: str, example: str, *, wanted: bool, kind: EventKind) -> None:
        given = getattr(self, name) is not None
        if wanted and not given:
            raise Fault(f'the key "{key}" is missing', hint=f'write "{key}: {example}"')
        if given and not wanted:
            what = f"{kind} has no {key}"
            raise Fault(what, hint="remove it", location=(key,), at_key=True)

    @property
    def kind(self) -> EventKind:
        """What happens."""
        return next(kind for kind in KINDS if kind in self.model_fields_set)

    @property
    def target(self) -> str:
        """To whom or what it happens."""
        found: str | End = getattr(self, self.kind)
        return found if isinstance(found, str) else found.name

    @property
    def share(self) -> float:
        """Of how many of them, from 0 to 1."""
        found: str | End = getattr(self, self.kind)
        return 1.0 if isinstance(found, str) else found.share
