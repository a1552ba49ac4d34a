"""Form of events at servers, hops and groups during a run."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from lasthop.study.fields.form import Form, LongPositiveTime, LongTime, PositiveTime
from lasthop.study.text.faults import Fault
from lasthop.study.traffic.ends import End, EndOf

EventKind = Literal["outage", "power_cut", "new_address", "change_path", "handover", "restart"]

KINDS: tuple[EventKind, ...] = (
    "outage",
    "power_cut",
    "new_address",
    "change_path",
    "handover",
    "restart",
)

_LASTS: tuple[EventKind, ...] = ("outage", "power_cut")
_OFF: tuple[EventKind, ...] = ("power_cut", "restart")
_MOVES: tuple[EventKind, ...] = ("new_address", "change_path", "handover")


class EventForm(Form):
    """An event of the run, once or repeated."""

    start: LongTime | None = Field(default=None, examples=["5 d"])
    """Time of the event since the start of the run. It can be left out with `every`: then the first
    event comes after one interval, or at random. A quick run leaves out events after its end."""
    every: LongPositiveTime | None = Field(default=None, examples=["1 d"])
    """The event happens again after each interval of this length, until the end of `duration`. With
    `arrivals: poisson` this is the mean interval."""
    arrivals: Literal["periodic", "poisson"] | None = Field(default=None, examples=["poisson"])
    """Whether `every` is a fixed interval (periodic, the default) or the mean of random intervals,
    which the seed draws. All stacks of a repetition have the same times."""
    times: Literal["shared", "own"] | None = Field(default=None, examples=["own"])
    """Whether all devices of the event have the same times (shared, the default), or each has its
    own. With `own` the seed draws the times of each device by its name, so other devices and groups
    do not change them: the first time within `every`, or with `arrivals: poisson` all times."""
    outage: Annotated[End, EndOf("head_end")] | None = Field(
        default=None, examples=["head_end", "10 % of meters"]
    )
    """Server, path or hop that lets nothing through, or devices that neither send nor receive."""
    power_cut: Annotated[End, EndOf("meters")] | None = Field(
        default=None, examples=["20 % of meters"]
    )
    """Devices that lose power, and start again afterwards."""
    new_address: Annotated[End, EndOf("meters")] | None = Field(default=None, examples=["meters"])
    """Devices that get another IP address."""
    change_path: Annotated[End, EndOf("meters")] | None = Field(default=None, examples=["meters"])
    """Devices that move to another path, for example from Wi-Fi to cellular."""
    handover: Annotated[End, EndOf("trackers")] | None = Field(default=None, examples=["trackers"])
    """Devices that move to another cell or access point of the same network."""
    gap: PositiveTime | None = Field(default=None, examples=["300 ms"])
    """Time in a handover during which no packet reaches or leaves a device."""
    address: Literal["new", "kept"] | None = Field(default=None, examples=["kept"])
    """IP address of a device after a handover: a new one (default), or the previous one."""
    notify: Literal["none", "application"] | None = Field(default=None, examples=["application"])
    """Who is informed at once about the new address. With `none` (default) each protocol detects it
    by itself. With `application` the programs of the device are informed and react."""
    restart: Annotated[End, EndOf("meters")] | None = Field(default=None, examples=["head_end"])
    """Server or devices that shut down cleanly and start again."""
    lasts: LongPositiveTime | None = Field(default=None, alias="for", examples=["30 min"])
    """Length of an outage or a power cut, or time that a restart takes. Default: 5 s."""
    spread: LongTime | None = Field(default=None, examples=["30 s"])
    """Each host comes back later by a random time up to this. Default: 10 s for devices, 0 s for a
    server."""
    to: str | None = Field(default=None, examples=["cellular"])
    """Path to which the devices move."""
    survives: Literal["nothing", "sessions", "tickets"] | None = Field(
        default=None, examples=["sessions"]
    )
    """State that survives a power cut or a restart: nothing (default), sessions, or only
    tickets."""

    @model_validator(mode="after")
    def _one_kind(self) -> EventForm:
        given = [kind for kind in KINDS if kind in self.model_fields_set]
        if len(given) != 1:
            both = (
                f"both {given[0]} and {given[1]} are given"
                if given
                else ("the event does not say what happens")
            )
            raise Fault(both, hint=f"write one of {', '.join(KINDS)}")
        kind = given[0]
        self._has_a_time()
        self._has_own_times()
        if kind != "restart":
            self._needs("lasts", "for", "30 min", wanted=kind in _LASTS, kind=kind)
        self._needs("to", "to", "cellular", wanted=kind == "change_path", kind=kind)
        self._needs("gap", "gap", "300 ms", wanted=kind == "handover", kind=kind)
        if kind != "handover":
            self._ends_nothing("address", f'"address" has no effect with {kind}')
        if kind not in _MOVES:
            self._ends_nothing(
                "notify", f'"notify" has no effect, because {kind} does not change addresses'
            )
        elif self.address == "kept":
            self._ends_nothing("notify", '"notify" has no effect, because the address is kept')
        if kind not in _OFF:
            self._ends_nothing(
                "survives", f'"survives" has no effect, because {kind} deletes nothing'
            )
            self._ends_nothing(
                "spread", f'"spread" needs an event that takes devices offline, and {kind} does not'
            )
        return self

    def _has_a_time(self) -> None:
        if self.every is not None:
            return
        if self.arrivals is not None:
            raise Fault(
                '"arrivals" has no effect on an event that happens once',
                hint='add "every: 1 d", or remove it',
                location=("arrivals",),
                at_key=True,
            )
        if self.start is None:
            raise Fault(
                'the key "start" is missing',
                hint='write "start: 5 d" for one event, or "every: 1 d" for many',
            )

    def _has_own_times(self) -> None:
        if self.times != "own" or self.every is not None:
            return
        raise Fault(
            '"times: own" needs an event that happens again',
            hint='add "every: 1 d", or remove it',
            location=("times",),
            at_key=True,
        )

    def _ends_nothing(self, key: str, what: str) -> None:
        if getattr(self, key) is not None:
            raise Fault(what, hint="remove it", location=(key,), at_key=True)

    def _needs(self, name: str, key: str, example: str, *, wanted: bool, kind: EventKind) -> None:
        given = getattr(self, name) is not None
        if wanted and not given:
            raise Fault(f'the key "{key}" is missing', hint=f'write "{key}: {example}"')
        if given and not wanted:
            what, is_gap = (
                f'{kind} does not have the key "{key}"',
                (kind, key) == ("handover", "for"),
            )
            hint = 'write "gap" for the time without an address' if is_gap else "remove it"
            raise Fault(what, hint=hint, location=(key,), at_key=True)

    @property
    def is_random(self) -> bool:
        """Return whether the times of the event are random."""
        return self.arrivals == "poisson"

    @property
    def has_own_times(self) -> bool:
        """Return whether each device has times of its own."""
        return self.times == "own"

    @property
    def first(self) -> int:
        """Return the first time of the event, or the earliest possible one if it is random."""
        if self.start is not None:
            return self.start
        is_drawn = self.is_random or self.has_own_times
        return self.every if self.every is not None and not is_drawn else 0

    def times_before(self, end_ns: int) -> int:
        """Return the number of occurrences before an instant; the mean number if it is random."""
        if self.every is None:
            return 1
        return max(0, -(-(end_ns - self.first) // self.every))

    @property
    def kind(self) -> EventKind:
        """Return the kind of event."""
        return next(kind for kind in KINDS if kind in self.model_fields_set)

    @property
    def target(self) -> str:
        """Return the group, server, path or hop of the event."""
        found: str | End = getattr(self, self.kind)
        return found if isinstance(found, str) else found.name

    @property
    def share(self) -> float:
        """Return the share of the devices that the event affects, from 0 to 1."""
        found: str | End = getattr(self, self.kind)
        return 1.0 if isinstance(found, str) else found.share
