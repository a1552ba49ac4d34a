"""A WLAN cell as a hop: an access point and stations that share a channel."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from lasthop.study.fields.form import (
    Form,
    Percentage,
    PositiveTime,
    Quantity,
    QueueLimit,
    QueueSize,
    Switch,
)
from lasthop.study.fields.quantity import FRACTION, PACKETS, RATE, SIZE, TIME, format_quantity
from lasthop.study.paths.wlan_standards import STANDARDS, Standard
from lasthop.study.text.faults import Fault

Spec = dict[str, Any]

_MICROSECOND_NS = 1_000
_CW_MAX = 1023
_LARGEST_WINDOW = 32_767
_MOST_AIFSN = 15
_MOST_TRANSMISSIONS = 255
_ACK_BYTES = 14
_MAC_HEADER_FCS_AND_LLC_BYTES = 24 + 4 + 8
_CCMP_BYTES = 16

_Window = Annotated[int, Field(ge=0, le=_LARGEST_WINDOW)]
_WlanRate = Annotated[int, Quantity(RATE, "11 Mbit/s", minimum=1)]


class AccessPoint(Form):
    """Settings of the access point that differ from those of stations."""

    cw_min: _Window | None = Field(default=None, examples=[15])
    """Maximum of its first backoff, in slots. Default: as for stations."""
    cw_max: _Window | None = Field(default=None, examples=[63])
    """Maximum of its backoffs, in slots. Default: as for stations."""
    queue: Annotated[QueueLimit, QueueSize()] = Field(
        default=QueueLimit(100, "packets"), examples=["100 packets"]
    )
    """Size of the queue of a station. Packets that do not fit are dropped."""


class Wlan(Form):
    """A WLAN cell on one channel (CSMA/CA), which its devices share.

    Hops of one name on several paths are one cell: what a cell has is the same there, while rates
    and losses are those of the stations on each path.
    """

    standard: Literal["a", "b", "g", "n"] = Field(default="g", examples=["b"])
    """IEEE 802.11 standard; n means 20 MHz, one stream and no aggregation."""
    rate: _WlanRate | None = Field(default=None, examples=["11 Mbit/s"])
    """Data rate between access point and stations of this path. Default: the highest rate."""
    ack_rate: _WlanRate | None = Field(default=None, examples=["2 Mbit/s"])
    """Rate of acknowledgements. Default: the highest basic rate that is not above `rate`."""
    frame_loss: Percentage = Field(default=0.0, examples=["5 %"])
    """Probability that a frame is lost for other reasons than a collision."""
    preamble: Literal["long", "short"] = Field(default="long", examples=["short"])
    """Preamble of 802.11b above 1 Mbit/s: long or short."""
    security: Literal["open", "wpa2"] = Field(default="wpa2", examples=["open"])
    """Encryption. wpa2 adds 16 B of CCMP to each frame."""
    slot: PositiveTime | None = Field(default=None, examples=["20 us"])
    """Slot time. Default: that of the standard. Stations of g and n near stations of b use 20
    us."""
    aifsn: Annotated[int, Field(ge=1, le=_MOST_AIFSN)] | None = Field(default=None, examples=[3])
    """Idle slots after SIFS before the backoff continues: 2 is DIFS, and n uses 3 for best
    effort."""
    eifs: Switch = Field(default=True, examples=["off"])
    """Whether stations wait longer after a frame that they could not decode."""
    cw_min: _Window | None = Field(default=None, examples=[15])
    """Maximum of a station's first backoff, in slots. Default: that of the standard."""
    cw_max: _Window = Field(default=_CW_MAX, examples=[1023])
    """Maximum of a station's backoffs, in slots."""
    retry_limit: Annotated[int, Field(ge=1, le=_MOST_TRANSMISSIONS)] = Field(
        default=7, examples=[7]
    )
    """Largest number of transmissions of a frame. After that it is dropped (`retry_limit`)."""
    queue: Annotated[QueueLimit, QueueSize()] = Field(
        default=QueueLimit(100, "packets"), examples=["100 packets"]
    )
    """Size of the queue of a station. Packets that do not fit are dropped."""
    access_point: AccessPoint = Field(
        default_factory=AccessPoint, examples=["{queue: 300 packets}"]
    )
    """Settings of the access point that differ from stations."""

    @model_validator(mode="after")
    def _fits_its_standard(self) -> Wlan:
        phy = self._phy
        _known_rate(self.rate, phy.rates, "rate", f"802.11{self.standard}")
        _known_rate(self.ack_rate, phy.basic, "ack_rate", "acknowledgements")
        if self.preamble == "short" and not phy.is_dsss:
            raise Fault(
                f"the preamble cannot be chosen in 802.11{self.standard}",
                hint='remove it, or write "standard: b"',
                location=("preamble",),
                at_key=True,
            )
        station = (self._cw_min, self.cw_max)
        for where, (first, last) in (((), station), (("access_point",), self._access_point)):
            _windows(first, last, where)
        return self

    def spec(self) -> Spec:
        """Return the WLAN as part of a run spec."""
        return {"cell": self.cell_spec(), "station": self._station_spec()}

    def cell_spec(self) -> Spec:
        """Return the settings that all stations share."""
        sifs_ns, difs_ns = self._spaces
        first, last = self._access_point
        return {
            "slot_ns": self._slot_ns,
            "sifs_ns": sifs_ns,
            "difs_ns": difs_ns,
            "eifs_ns": self._eifs_ns,
            "overhead_bytes": self._overhead_bytes,
            "ack_bytes": _ACK_BYTES,
            "retry_limit": self.retry_limit,
            "station": _side(self._cw_min, self.cw_max, self.queue),
            "access_point": _side(first, last, self.access_point.queue),
        }

    def words(self) -> dict[str, str]:
        """Return a description of each setting."""
        sifs_ns, difs_ns = self._spaces
        first, last = self._access_point
        eifs = f"EIFS {_time(self._eifs_ns)}" if self.eifs else "no EIFS"
        rates = f"{_rate(self._rate)}, acknowledged at {_rate(self._ack_rate)}"
        return {
            "WLAN": f"802.11{self.standard} at {rates}",
            "frame loss": format_quantity(self.frame_loss, FRACTION),
            "spaces": f"slot {_time(self._slot_ns)}, SIFS {_time(sifs_ns)}, "
            f"DIFS {_time(difs_ns)}, {eifs}",
            "frames": f"{self._overhead_bytes} B around a packet ({self.security})"
            + (f", {self.preamble} preambles" if self._phy.is_dsss else "")
            + f", sent at most {self.retry_limit} times",
            "stations": f"CW {self._cw_min} to {self.cw_max}, room for {_room(self.queue)}",
            "access point": f"CW {first} to {last}, room for {_room(self.access_point.queue)}",
        }

    def _station_spec(self) -> Spec:
        short = self.preamble == "short"
        return {
            "data": self._phy.data(self._rate, short=short),
            "ack": self._phy.reply(self._ack_rate, short=short),
            "frame_loss": self.frame_loss,
        }

    @property
    def _phy(self) -> Standard:
        return STANDARDS[self.standard]

    @property
    def _rate(self) -> int:
        return max(self._phy.rates) if self.rate is None else self.rate

    @property
    def _ack_rate(self) -> int:
        if self.ack_rate is not None:
            return self.ack_rate
        return max(rate for rate in self._phy.basic if rate <= self._rate)

    @property
    def _slot_ns(self) -> int:
        return self._phy.slot_us * _MICROSECOND_NS if self.slot is None else self.slot

    @property
    def _cw_min(self) -> int:
        return self._phy.cw_min if self.cw_min is None else self.cw_min

    @property
    def _access_point(self) -> tuple[int, int]:
        own = self.access_point
        return (
            self._cw_min if own.cw_min is None else own.cw_min,
            self.cw_max if own.cw_max is None else own.cw_max,
        )

    @property
    def _spaces(self) -> tuple[int, int]:
        """Return SIFS, and DIFS or AIFS, in ns."""
        aifsn = self._phy.aifsn if self.aifsn is None else self.aifsn
        sifs_ns = self._phy.sifs_us * _MICROSECOND_NS
        return sifs_ns, sifs_ns + aifsn * self._slot_ns

    @property
    def _eifs_ns(self) -> int:
        """Return EIFS: SIFS, an acknowledgement at the lowest rate, and DIFS (10.3.2.3.7)."""
        sifs_ns, difs_ns = self._spaces
        if not self.eifs:
            return difs_ns
        return sifs_ns + self._phy.slowest_ack_ns(_ACK_BYTES) + difs_ns

    @property
    def _overhead_bytes(self) -> int:
        ccmp = _CCMP_BYTES if self.security == "wpa2" else 0
        return _MAC_HEADER_FCS_AND_LLC_BYTES + self._phy.qos_bytes + ccmp


def _known_rate(rate: int | None, known: Any, key: str, whose: str) -> None:  # noqa: ANN401
    if rate is None or rate in known:
        return
    rates = ", ".join(_rate(one) for one in known)
    raise Fault(
        f"{_rate(rate)} is not a rate of {whose}", hint=f"write one of {rates}", location=(key,)
    )


def _windows(first: int, last: int, where: tuple[str, ...]) -> None:
    for key, window in (("cw_min", first), ("cw_max", last)):
        if (window + 1) & window:
            raise Fault(
                f"{window} is not a contention window, which is a power of two minus 1",
                hint=f"write {(1 << window.bit_length()) - 1}",
                location=(*where, key),
            )
    if first > last:
        raise Fault(
            f"cw_min {first} is larger than cw_max {last}",
            hint=f'write "cw_max: {first}" or more',
            location=(*where, "cw_max"),
        )


def _side(first: int, last: int, queue: QueueLimit) -> Spec:
    return {"cw_min": first, "cw_max": last, "queue": {queue.unit: queue.amount}}


def _rate(rate: int) -> str:
    return format_quantity(rate, RATE)


def _time(ns: int) -> str:
    return format_quantity(ns, TIME)


def _room(queue: QueueLimit) -> str:
    return format_quantity(queue.amount, SIZE if queue.unit == "bytes" else PACKETS)
