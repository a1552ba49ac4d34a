"""Whether what a study is decided by can be measured in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.measures.radio import ENERGY
from lasthop.study.faults import Fault
from lasthop.study.run_spec import RunSpecReader

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lasthop.study.study import Point

_BATTERY = "battery_years"
_OF_RADIOS = frozenset(column.short_name for column in ENERGY)


def check_energy(name: str, points: Iterable[Point]) -> None:
    """Check that a column of energy has a radio, and a battery life a device that stays.

    Parameters
    ----------
    name
        Of a column without its unit, by which the study is decided or checked.

    Raises
    ------
    Fault
        If no point can tell.
    """
    if name not in _OF_RADIOS:
        return
    readers = (RunSpecReader(point.conditions) for point in points)
    measured = [reader for reader in readers if reader.has_radio]
    if not measured:
        raise Fault(
            f"{name} cannot be judged: the path has no radio whose energy could be told",
            hint='write "path: {nbiot: {coupling_loss: 154 dB}}", or rank by another column',
        )
    if name == _BATTERY and not any(reader.has_staying for reader in measured):
        raise Fault(
            "battery_years cannot be judged: devices that come and go live on no battery for long "
            "enough to say how long it lasts",
            hint='write a number of devices that stay, as "devices: 1", or rank by '
            "energy_per_message",
        )
