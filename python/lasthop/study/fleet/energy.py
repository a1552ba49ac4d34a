"""What devices live on and what draws from it: the key ``energy``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import Field, field_validator

from lasthop.study.fields.electricity import Draw, DrawOf, Years
from lasthop.study.fields.form import Form, Percentage, Quantity
from lasthop.study.fields.quantity import ENERGY, FRACTION, LIFETIME, format_quantity
from lasthop.study.fleet.assembly import networks
from lasthop.study.fleet.battery import WATT_HOUR_J, BatteryForm, BatteryOf
from lasthop.study.fleet.power_profile import Profile, shipped_profile
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lasthop.study.fleet.assembly import Hop
    from lasthop.study.fleet.power_profile import PowerProfile
    from lasthop.study.text.faults import Location


class LoadForm(Form):
    """What a device draws beside its radio: sensor, processor, display."""

    constant: Annotated[Any, DrawOf("12 uA")] = Field(
        default=Draw(0.0, is_current=False, written="0 W"), examples=["12 uA", "40 uW"]
    )
    """Draw at all times: a power, or a current at the voltage of the battery."""
    per_message: Annotated[float, Quantity(ENERGY, "20 mJ")] = Field(
        default=0.0, examples=["20 mJ"]
    )
    """Energy for each message that the device sends or receives, for example of its measurement."""


class Energy(Form):
    """What devices with a radio live on, and what draws from it."""

    profile: Profile = Field(
        default_factory=shipped_profile, examples=["sara_n2", "module.yaml", "{like: bg96}"]
    )
    """Power profile of the radio: the name of a shipped profile, a file of your own in the folder
    of the study, or a mapping. Default: `tr_45_820`, the assumptions of TR 45.820."""
    battery: BatteryOf = Field(
        default=5 * WATT_HOUR_J, examples=["5 Wh", "{capacity: 8.5 Ah, voltage: 3.6 V}"]
    )
    """A new battery: its energy, or a mapping with its limits."""
    self_discharge: Percentage = Field(default=0.0, examples=["1 %"])
    """Share of the battery's nominal energy that it loses by itself in a year."""
    load: LoadForm = Field(
        default_factory=LoadForm, examples=["{constant: 12 uA, per_message: 20 mJ}"]
    )
    """What the device draws beside its radio."""
    lifetime: Years | None = Field(default=None, examples=["15 years"])
    """Years that a battery should last. With it, the results have the share of devices that reach
    them (`lifetime_ratio`)."""

    @field_validator("self_discharge")
    @classmethod
    def _something_is_left(cls, fraction: float) -> float:
        if fraction >= 1:
            raise Fault(
                "a battery with this self-discharge is empty after a year",
                hint='write for example "1 %"',
            )
        return fraction

    def check(self) -> None:
        """Check what draws from the battery, once the battery is known.

        Raises
        ------
        Fault
            If the battery has lost its usable part after a year, or a current has no voltage.
        """
        if self.lost_a_year >= 1:
            lost = format_quantity(self.self_discharge, FRACTION)
            raise Fault(
                f"a self-discharge of {lost} a year uses up the usable part of the battery "
                "within a year",
                hint="write a smaller self-discharge, or a larger usable share",
                location=("self_discharge",),
            )
        _ = self.load_w

    @property
    def radio(self) -> PowerProfile:
        """The power of the radio in each state."""
        return cast("PowerProfile", self.profile)

    @property
    def usable_j(self) -> float:
        """The energy of a new battery that the device can use."""
        return self.battery.usable_j if isinstance(self.battery, BatteryForm) else self.battery

    @property
    def lost_a_year(self) -> float:
        """The yearly self-discharge, as a fraction of the usable energy."""
        if not isinstance(self.battery, BatteryForm):
            return self.self_discharge
        return self.self_discharge * self.battery.nominal_j / self.battery.usable_j

    @property
    def load_w(self) -> float:
        """The constant draw beside the radio.

        Raises
        ------
        Fault
            If it is a current, and the voltage of the battery is unknown.
        """
        constant: Draw = self.load.constant
        volts = self.battery.voltage if isinstance(self.battery, BatteryForm) else None
        if constant.is_current and volts is None:
            raise Fault(
                f"{show(constant.written)} is a current, and the battery has no voltage",
                hint='write "battery: {capacity: 8.5 Ah, voltage: 3.6 V}", or a power, for example '
                '"40 uW"',
                location=("load", "constant"),
            )
        return constant.watts(volts, key="voltage")

    def warnings(self) -> Iterator[str]:
        """Name the limits of the battery that the module would exceed."""
        if isinstance(self.battery, BatteryForm):
            yield from self.battery.warnings(self.radio.watts["transmit"])


def energy_of_radio(
    energy: Energy | None, hops: Iterable[Hop], *, location: Location = ("energy",)
) -> Energy | None:
    """Give the energy settings of devices with a radio, with defaults; None without one.

    Parameters
    ----------
    location
        Where it is said.

    Raises
    ------
    Fault
        If it is asked for where nothing tells what a radio does, or the battery cannot feed it.
    """
    if any(networks(hops)):
        energy = energy or Energy()
        try:
            energy.check()
        except Fault as fault:
            raise fault.within((*location[:-1], "energy")) from None
        return energy
    if energy is not None:
        raise Fault(
            "no hop of the path is a radio with an energy model",
            hint='remove it, or write "path: {nbiot: {coupling_loss: 154 dB}}"',
            location=location,
            at_key=True,
        )
    return None


def energy_spec(energy: Energy | None) -> dict[str, Any] | None:
    """Give the energy of the run spec; None without a radio."""
    if energy is None:
        return None
    load_w, per_message = energy.load_w, energy.load.per_message
    return {
        "profile": energy.radio.spec(),
        "battery_wh": energy.usable_j / WATT_HOUR_J,
        "self_discharge_per_year": energy.lost_a_year,
        # Left out where there are none, as the run spec has it.
        **({"load_w": load_w} if load_w else {}),
        **({"load_per_message_j": per_message} if per_message else {}),
        **({} if energy.lifetime is None else {"lifetime_years": energy.lifetime}),
    }


def describe_energy(energy: Energy) -> str:
    """Describe the power profile, the battery and what else draws from it.

    Examples
    --------
    >>> describe_energy(Energy())
    'tr_45_820, 5 Wh'
    """
    battery = energy.battery
    words = f"{energy.profile}, " + (
        battery.words() if isinstance(battery, BatteryForm) else format_quantity(battery, ENERGY)
    )
    if energy.self_discharge > 0:
        lost = format_quantity(energy.self_discharge, FRACTION)
        words += f", of which {lost} go by themselves a year"
    if energy.load.constant.amount > 0:
        words += f", {energy.load.constant.written} beside the radio"
    if energy.load.per_message > 0:
        each = format_quantity(energy.load.per_message, ENERGY)
        words += f", {each} for each message beside the radio"
    if energy.lifetime is not None:
        words += f", to last {format_quantity(energy.lifetime, LIFETIME)}"
    return words
