"""The cell that a device lives on: capacity, usable part, limits of its voltage and current."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, Tag, model_validator

from lasthop.study.fields.electricity import Above, Amperes, Ohms, Volts
from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form, Percentage, Quantity, quantity_schema
from lasthop.study.fields.quantity import (
    CHARGE,
    CURRENT,
    ENERGY,
    FRACTION,
    TEMPERATURE,
    VOLTAGE,
    format_quantity,
    parse,
)
from lasthop.study.fields.written import Written
from lasthop.study.fleet.derating import DeratingTable
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lasthop.study.fleet.derating import DeratingRow

WATT_HOUR_J = 3600.0

_Temperature = Annotated[float, Quantity(TEMPERATURE, "5 C", minimum=-273)]
_CHARGES = ("mAh", "Ah")


@dataclass(frozen=True, slots=True)
class Capacity:
    """A capacity: an energy in J, or a charge in Ah."""

    amount: float
    is_charge: bool
    written: str


@dataclass(frozen=True, slots=True)
class CapacityOf(Written):
    """Marks a capacity."""

    def read(self, value: object) -> Capacity:
        """Read ``8.5 Ah`` or ``30.6 Wh``."""
        is_charge = _is_charge(value)
        above = Above(CHARGE if is_charge else ENERGY, "8.5 Ah" if is_charge else "30.6 Wh")
        return Capacity(above.read(value), is_charge, str(value).strip())

    def described(self) -> dict[str, Any]:
        """Describe both ways to write it."""
        return {"anyOf": [quantity_schema(CHARGE, "8.5 Ah"), quantity_schema(ENERGY, "30.6 Wh")]}


@dataclass(frozen=True, slots=True)
class _Wattage(Quantity):
    """Marks the energy of a battery of which nothing else is known."""

    def read(self, value: object) -> float:
        """Read an energy; a charge is refused, because its voltage is unknown."""
        if _is_charge(value):
            parse(value, CHARGE, example="8.5 Ah")
            raise Fault(
                f"{show(value)} is a charge, and its energy depends on the voltage of the cell",
                hint=f'write "{{capacity: {value}, voltage: 3.6 V}}"',
            )
        return float(Quantity.read(self, value))


def _is_charge(value: object) -> bool:
    return isinstance(value, str) and value.strip().endswith(_CHARGES)


class BatteryForm(Form):
    """A cell or a pack, and what of it a device can use."""

    capacity: Annotated[Any, CapacityOf()] = Field(examples=["8.5 Ah", "30.6 Wh"])
    """Nominal capacity of a new battery: a charge, or an energy."""
    voltage: Volts | None = Field(default=None, examples=["3.6 V"])
    """Nominal voltage. A charge needs it."""
    usable: Percentage = Field(default=1.0, examples=["85 %"])
    """Share of the nominal capacity that the device can use, after ageing, at its currents and down
    to its cut-off voltage."""
    usable_source: str | None = Field(default=None, max_length=500, examples=["data sheet, fig. 3"])
    """Source of the usable share, for the answer."""
    temperature: _Temperature | None = Field(default=None, examples=["5 C"])
    """Temperature of the battery, at which the derating table is read."""
    derating: DeratingTable | None = Field(
        default=None, examples=["{-20 C: 60 %, 20 C: 100 %}", "cell.csv"]
    )
    """Share of the usable capacity by temperature: a mapping, or a CSV file with the columns
    `temperature_c`, `capacity` and, if known, `max_pulse_ma`. Between two rows it is a straight
    line."""
    cut_off: Volts | None = Field(default=None, examples=["2.7 V"])
    """Voltage below which the device resets. It needs `resistance`."""
    resistance: Ohms | None = Field(default=None, examples=["5 ohm"])
    """Internal resistance of the battery at the end of its life. It needs `cut_off`."""
    max_pulse: Amperes | None = Field(default=None, examples=["200 mA"])
    """Largest pulse that the battery may give."""
    max_continuous: Amperes | None = Field(default=None, examples=["20 mA"])
    """Largest current that the battery may give for a long time."""

    @model_validator(mode="after")
    def _can_be_computed(self) -> BatteryForm:
        if self.capacity.is_charge and self.voltage is None:
            raise Fault(
                f"{show(self.capacity.written)} is a charge, and the voltage of the cell is "
                "missing",
                hint='write "voltage: 3.6 V" beside it, or the capacity as an energy in Wh',
                location=("capacity",),
            )
        if self.usable == 0:
            raise Fault(
                "the usable share of the battery is 0 %",
                hint='write more than 0 %, for example "85 %"',
                location=("usable",),
            )
        if self.usable_source is not None and "usable" not in self.model_fields_set:
            hint = 'write "usable: 85 %" beside it, or remove it'
            raise Fault("a source without a share", hint=hint, location=("usable_source",))
        for one, other, example in (
            ("derating", "temperature", "temperature: 5 C"),
            ("temperature", "derating", "derating: {-20 C: 60 %, 20 C: 100 %}"),
            ("cut_off", "resistance", "resistance: 5 ohm"),
            ("resistance", "cut_off", "cut_off: 2.7 V"),
        ):
            if getattr(self, one) is not None and getattr(self, other) is None:
                what = f'"{one}" has no effect without "{other}"'
                hint = f'write "{example}" beside it, or remove it'
                raise Fault(what, hint=hint, location=(one,), at_key=True)
        for key in ("max_pulse", "max_continuous", "cut_off"):
            if getattr(self, key) is not None and self.voltage is None:
                what = f'"{key}" needs the voltage of the battery'
                raise Fault(what, hint='write "voltage: 3.6 V" beside it', location=(key,))
        if self.cut_off is not None and self.voltage is not None and self.cut_off >= self.voltage:
            here, nominal = (format_quantity(it, VOLTAGE) for it in (self.cut_off, self.voltage))
            raise Fault(
                f"the device resets at {here}, and the battery has {nominal}",
                hint=f"write less than {nominal}",
                location=("cut_off",),
            )
        try:
            self._row()
        except Fault as fault:
            raise fault.within(("temperature",)) from None
        return self

    @property
    def nominal_j(self) -> float:
        """The energy of the nominal capacity."""
        if not self.capacity.is_charge:
            return float(self.capacity.amount)
        assert self.voltage is not None  # noqa: S101  (checked when it was read)
        return float(self.capacity.amount) * self.voltage * WATT_HOUR_J

    @property
    def usable_j(self) -> float:
        """The energy that a device can use at the temperature of the battery."""
        row = self._row()
        return self.nominal_j * self.usable * (1.0 if row is None else row.capacity)

    @property
    def pulse_limit(self) -> float | None:
        """The largest pulse in A: that of the derating table, else that of the battery."""
        row = self._row()
        of_table = None if row is None else row.max_pulse
        return self.max_pulse if of_table is None else of_table

    def _row(self) -> DeratingRow | None:
        if self.derating is None or self.temperature is None:
            return None
        row: DeratingRow = self.derating.at(self.temperature)
        return row

    def warnings(self, peak_w: float) -> Iterator[str]:
        """Name the limits that the peak of a module would exceed.

        Parameters
        ----------
        peak_w
            What the module draws while it sends with 23 dBm.
        """
        if self.voltage is None:
            return
        peak = peak_w / self.voltage
        drawn, limit = format_quantity(_rounded(peak), CURRENT), self.pulse_limit
        if limit is not None and peak > limit:
            yield (
                f"the module draws {drawn} while it sends with 23 dBm, and the battery gives "
                f"pulses of {format_quantity(_rounded(limit), CURRENT)}; add a capacitor, or take "
                "a cell with a larger max_pulse"
            )
        elif limit is None and self.max_continuous is not None and peak > self.max_continuous:
            yield (
                f"the module draws {drawn} while it sends with 23 dBm, which is more than "
                f"max_continuous, {format_quantity(_rounded(self.max_continuous), CURRENT)}; "
                "write max_pulse if the cell allows short pulses"
            )
        if self.cut_off is not None and self.resistance is not None:
            volts = self.voltage - peak * self.resistance
            if volts < self.cut_off:
                yield (
                    f"a pulse of {drawn} pulls the battery down to {max(volts, 0.0):.2f} V, below "
                    f"the cut_off of {format_quantity(self.cut_off, VOLTAGE)}: the device resets; "
                    "take a cell with a smaller resistance, or add a capacitor"
                )

    def words(self) -> str:
        """Describe the battery.

        Examples
        --------
        >>> form = {"capacity": "8.5 Ah", "voltage": "3.6 V", "usable": "85 %"}
        >>> BatteryForm.model_validate(form).words()
        '8.5 Ah at 3.6 V, 85 % of it usable (no source given)'
        """
        words = str(self.capacity.written)
        if self.capacity.is_charge and self.voltage is not None:
            words += f" at {format_quantity(self.voltage, VOLTAGE)}"
        if self.usable < 1:
            source = self.usable_source or "no source given"
            words += f", {format_quantity(self.usable, FRACTION)} of it usable ({source})"
        row = self._row()
        if row is not None:
            share = format_quantity(round(row.capacity, 4), FRACTION)
            words += f", {share} of that at {format_quantity(row.celsius, TEMPERATURE)}"
        return words


def _rounded(amperes: float) -> float:
    return float(f"{amperes:.3g}")


BatteryOf = Annotated[
    Annotated[float, _Wattage(ENERGY, "5 Wh", minimum=1), Tag("<value>")]
    | Annotated[BatteryForm, Tag("<mapping>")],
    SCALAR_OR_MAPPING,
]
"""A battery as a study writes it: an energy, or a mapping."""
