"""Form of a tariff: the costs of a SIM (key ``tariff`` of a study or a group)."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from lasthop.study.fields.form import Form, LongPositiveTime, Number, Quantity, Size, WordOr
from lasthop.study.fields.money import (
    BYTES,
    MESSAGES,
    MINUTES,
    ONCE,
    YEARS,
    Money,
    MoneyFor,
    VolumePerMonth,
)
from lasthop.study.fields.quantity import SIZE, TIME
from lasthop.study.fleet.tariff_presets import filled_in
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ALWAYS_ON = "always_on"

_STEP = Annotated[int, Quantity(SIZE, "1 kB", minimum=1)]
_PRICE = Annotated[Money, MoneyFor(BYTES, "0.50 USD/MB")]
_PER_MINUTE = Annotated[Money, MoneyFor(MINUTES, "0.08 USD/million min")]
_Metered = Literal["connect", "from_device", "to_device", "acknowledgement_of_device"]
_DATE = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class RoundingForm(Form):
    """How an operator rounds up bytes."""

    step: _STEP = Field(examples=["1 kB"])
    """Bytes are rounded up to a multiple of this size."""
    per: Literal["packet", "session", "day", "month", "year"] = Field(examples=["session"])
    """Unit that is rounded. A session with several records is rounded at each record."""
    minimum: Size = Field(default=0, examples=["1 kB"])
    """Smallest billed size. Without any bytes nothing is billed."""


class PacketForm(Form):
    """How an operator counts the bytes of a packet."""

    extra: Size = Field(default=0, examples=["54 B"])
    """Bytes that are added to each packet, such as the headers of the operator's tunnel."""
    minimum: Size = Field(default=0, examples=["50 B"])
    """Smallest size of a packet in the bill."""


class PrepaidForm(Form):
    """A prepaid volume of data."""

    fee: Annotated[Money, MoneyFor(ONCE, "12 EUR")] = Field(examples=["12 EUR"])
    """Price of the volume. When it is used up, it is bought again."""
    volume: _STEP = Field(examples=["500 MB"])
    """Size of the volume."""
    years: Annotated[float, Number(above=0, maximum=100)] = Field(examples=["10"])
    """Number of years for which the volume is valid."""


class CloudForm(Form):
    """Prices of a cloud for messages and connections."""

    like: str | None = Field(default=None, examples=["aws_iot_core"])
    """Name of a shipped cloud whose prices are used where none is written."""
    message: Annotated[Money, MoneyFor(MESSAGES, "1.00 USD/million messages")] | None = Field(
        default=None, examples=["1.00 USD/million messages"]
    )
    """Price of a message."""
    block: Size = Field(default=0, examples=["5 KiB"])
    """A message counts once for each started block of payload. Default: once, whatever its size."""
    metered: list[_Metered] = Field(
        default=["from_device", "to_device"],
        min_length=1,
        examples=["[connect, from_device, to_device]"],
    )
    """Messages that have a price: connecting, messages of the device, messages to the device,
    acknowledgements by the device."""
    minute: _PER_MINUTE | None = Field(default=None, examples=["0.08 USD/million min"])
    """Price of a started minute of a connection."""
    volume: _PRICE | None = Field(default=None, examples=["0.15 USD/GiB"])
    """Price of the bytes that are transferred."""

    @model_validator(mode="after")
    def _has_a_price(self) -> CloudForm:
        if (self.message, self.minute, self.volume) == (None, None, None):
            hint = 'write "message: 1.00 USD/million messages"'
            raise Fault("the cloud has no price", hint=hint)
        return self

    @model_validator(mode="before")
    @classmethod
    def _as_its_preset(cls, data: object) -> object:
        return filled_in(data, kind="clouds")

    def money(self) -> Iterator[tuple[str, Money]]:
        """Yield the key and the amount of each price."""
        for key in ("message", "minute", "volume"):
            amount = getattr(self, key)
            if amount is not None:
                yield f"cloud.{key}", amount


class TariffForm(Form):
    """Costs of a SIM. Missing keys have the values of the tariff in `like`."""

    like: str | None = Field(default=None, examples=["hologram"])
    """Name of a shipped tariff whose rules and prices are used where none is written."""
    fee: Annotated[Money, MoneyFor(YEARS, "1.00 USD/month")] | None = Field(
        default=None, examples=["1.00 USD/month"]
    )
    """Fee of a SIM per year or month."""
    price: _PRICE | None = Field(default=None, examples=["0.03 USD/MB"])
    """Price of the volume above the included one. MB has 1000 kB, MiB has 1024 KiB."""
    included: Annotated[float, VolumePerMonth()] | None = Field(
        default=None, examples=["5 MB/month"]
    )
    """Volume of each month that the fee includes. It cannot be saved for another month."""
    prepaid: PrepaidForm | None = Field(
        default=None, examples=["{fee: 12 EUR, volume: 500 MB, years: 10}"]
    )
    """Volume that is paid once for several years."""
    counts: Literal["both", "up"] = Field(default="both", examples=["both"])
    """Direction of the packets that are counted: both, or only those of the device."""
    packet: PacketForm = Field(default_factory=PacketForm, examples=["{minimum: 50 B}"])
    """How a packet is counted."""
    rounding: RoundingForm | None = Field(default=None, examples=["{step: 1 kB, per: session}"])
    """How bytes are rounded up. Default: each byte counts."""
    session: Annotated[int | str, WordOr(TIME, "30 s", minimum=1, words=(ALWAYS_ON,))] = Field(
        default=ALWAYS_ON, examples=["always_on", "30 s"]
    )
    """End of a data session: never, as with power saving mode, or after a time without packets, for
    example where the device switches its modem off."""
    record: LongPositiveTime | None = Field(default=None, examples=["24 h"])
    """Interval at which the operator closes the record of an open session, or ends the session."""
    record_size: _STEP | None = Field(default=None, examples=["500 kB"])
    """Volume after which the operator ends a session."""
    minute: _PER_MINUTE | None = Field(default=None, examples=["0.01 EUR/min"])
    """Price of a started minute of a data session."""
    cloud: CloudForm | None = Field(default=None, examples=["aws_iot_core"])
    """Prices of the cloud that the devices talk to, beside those of the SIM."""
    source: str | None = Field(default=None, max_length=500, examples=["offer of 2026-11-02"])
    """Source of the prices, for the answer."""
    expires: _DATE | None = Field(default=None, examples=["2027-06-30"])
    """Last day on which the prices are trusted. After it the answer says to check them."""

    @model_validator(mode="before")
    @classmethod
    def _as_its_preset(cls, data: object) -> object:
        return filled_in(data, kind="tariffs")

    @field_validator("expires")
    @classmethod
    def _is_a_day(cls, day: str | None) -> str | None:
        if day is not None:
            try:
                dt.date.fromisoformat(day)
            except ValueError:
                hint = 'write year, month and day, for example "2027-06-30"'
                raise Fault(f"{show(day)} is not a day", hint=hint) from None
        return day

    @model_validator(mode="after")
    def _can_be_computed(self) -> TariffForm:
        if self.included is not None and self.price is None:
            raise Fault(
                "a volume is included, but what is beyond it has no price",
                hint='write "price: 0.50 USD/MB", or "price: 0 USD/MB" if the rest is free',
                location=("included",),
                at_key=True,
            )
        if self.prepaid is not None and self.price is not None:
            raise Fault(
                'a volume is paid once, and each byte has a price in "price"',
                hint='remove "price"; a volume that is used up is bought again',
                location=("price",),
                at_key=True,
            )
        prices = (self.fee, self.price, self.prepaid, self.minute, self.cloud)
        if not any(price is not None for price in prices):
            name = f"the tariff {show(self.like)}" if self.like else "the tariff"
            hint = 'write what you pay, for example "fee: 1.00 EUR/month" and "price: 0.50 EUR/MB"'
            raise Fault(f"{name} has no price", hint=hint)
        if self.counts_volume and self.like and self.price is None and self.prepaid is None:
            hint = 'write the price of your contract, for example "price: 0.50 EUR/MB"'
            raise Fault(f"the price of a MB of {show(self.like)} is not public", hint=hint)
        self._check_rounding()
        self._check_currency()
        return self

    @property
    def counts_volume(self) -> bool:
        """Return whether the tariff defines how bytes of a SIM are counted."""
        return self.rounding is not None or self.packet != PacketForm() or self.record is not None

    def _check_rounding(self) -> None:
        per = None if self.rounding is None else self.rounding.per
        if self.record_size is not None and per != "session":
            raise Fault(
                '"record_size" has no effect: sessions are not rounded',
                hint='remove it, or write "rounding: {step: 1 kB, per: session}"',
                location=("record_size",),
                at_key=True,
            )
        if self.record is not None and per != "session":
            raise Fault(
                '"record" has no effect: sessions are not rounded',
                hint='remove it, or write "rounding: {step: 1 kB, per: session}"',
                location=("record",),
                at_key=True,
            )
        if self.session != ALWAYS_ON and per != "session" and self.minute is None:
            raise Fault(
                '"session" has no effect: neither sessions nor their minutes are billed',
                hint='remove it, or write "rounding: {step: 1 kB, per: session}"',
                location=("session",),
                at_key=True,
            )

    def _check_currency(self) -> None:
        (first, amount), *others = self.money()
        for key, other in others:
            if other.currency != amount.currency:
                raise Fault(
                    f"{key} is in {other.currency} and {first} in {amount.currency}",
                    hint=f"write all prices in {amount.currency}",
                    location=tuple(key.split(".")),
                )

    @property
    def currency(self) -> str:
        """Return the currency of all prices."""
        return next(self.money())[1].currency

    @property
    def fees_per_year(self) -> float:
        """Return the fixed cost of a year in money, independent of traffic."""
        prepaid = 0.0 if self.prepaid is None else self.prepaid.fee.amount / self.prepaid.years
        return _amount(self.fee) + prepaid

    def money(self) -> Iterator[tuple[str, Money]]:
        """Yield the key and the amount of each price."""
        for key in ("fee", "price", "minute"):
            amount = getattr(self, key)
            if amount is not None:
                yield key, amount
        if self.prepaid is not None:
            yield "prepaid.fee", self.prepaid.fee
        if self.cloud is not None:
            yield from self.cloud.money()

    def words(self) -> str:
        """Return a description of the tariff: its name and prices."""
        said = [str(amount) for _, amount in self.money()]
        return ", ".join([*([self.like] if self.like else []), *said])


def tariff_spec(tariff: TariffForm) -> dict[str, Any]:
    """Return the tariff's part of the run spec, with prices per byte, year, minute and message."""
    return {
        "fee_per_year": _amount(tariff.fee),
        "data": _data_spec(tariff),
        "cloud": None if tariff.cloud is None else _cloud_spec(tariff.cloud),
    }


def _data_spec(tariff: TariffForm) -> dict[str, Any]:
    rounding, prepaid = tariff.rounding, tariff.prepaid
    return {
        "counts_up_only": tariff.counts == "up",
        "packet_extra_bytes": tariff.packet.extra,
        "packet_minimum_bytes": tariff.packet.minimum,
        "rounding": None
        if rounding is None
        else {
            "step_bytes": rounding.step,
            "minimum_bytes": rounding.minimum,
            "per": rounding.per,
        },
        "session_idle_ns": None if tariff.session == ALWAYS_ON else tariff.session,
        "record_ns": tariff.record,
        "record_bytes": tariff.record_size,
        "price_per_byte": _amount(tariff.price),
        "price_per_minute": _amount(tariff.minute),
        "included_bytes_per_month": tariff.included or 0.0,
        "prepaid": None
        if prepaid is None
        else {
            "fee": prepaid.fee.amount,
            "bytes": float(prepaid.volume),
            "years": prepaid.years,
        },
    }


def _cloud_spec(cloud: CloudForm) -> Mapping[str, Any]:
    return {
        "price_per_message": _amount(cloud.message),
        "block_bytes": cloud.block,
        "metered": list(cloud.metered),
        "price_per_minute": _amount(cloud.minute),
        "price_per_byte": _amount(cloud.volume),
    }


def _amount(money: Money | None) -> float:
    return 0.0 if money is None else money.amount
