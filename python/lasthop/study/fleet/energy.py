"""Power profile and battery of devices: the key ``energy``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, field_validator

from lasthop.study.fields.form import Form, Percentage, Quantity
from lasthop.study.fields.quantity import ENERGY, FRACTION, format_quantity
from lasthop.study.fleet.assembly import networks
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lasthop.study.fleet.assembly import Hop
    from lasthop.study.text.faults import Location

_WATT_HOUR_J = 3600.0


class Energy(Form):
    """The power profile and battery of devices with a radio."""

    profile: Literal["tr_45_820", "bg96", "sara_n2"] = Field(
        default="tr_45_820", examples=["sara_n2"]
    )
    """Power profile of the radio: the assumptions of TR 45.820, or a module of the class of the
    BG96 or the SARA-N2."""
    battery: Annotated[float, Quantity(ENERGY, "5 Wh", minimum=1)] = Field(
        default=5 * _WATT_HOUR_J, examples=["5 Wh"]
    )
    """Energy in a new battery."""
    self_discharge: Percentage = Field(default=0.0, examples=["1 %"])
    """Share of the battery's energy that it loses by itself in a year."""

    @field_validator("self_discharge")
    @classmethod
    def _something_is_left(cls, fraction: float) -> float:
        if fraction >= 1:
            raise Fault(
                "a battery with this self-discharge is empty after a year",
                hint='write for example "1 %"',
            )
        return fraction


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
        If it is asked for where nothing tells what a radio does.
    """
    if any(networks(hops)):
        return energy or Energy()
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
    return {
        "profile": energy.profile,
        "battery_wh": energy.battery / _WATT_HOUR_J,
        "self_discharge_per_year": energy.self_discharge,
    }


def describe_energy(energy: Energy) -> str:
    """Describe the power profile and the battery.

    Examples
    --------
    >>> describe_energy(Energy())
    'tr_45_820, 5 Wh'
    """
    words = f"{energy.profile}, {format_quantity(energy.battery, ENERGY)}"
    if energy.self_discharge > 0:
        lost = format_quantity(energy.self_discharge, FRACTION)
        words += f", of which {lost} go by themselves a year"
    return words
