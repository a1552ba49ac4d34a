"""Forms of cell positions and of the path loss to devices."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lasthop.study.fields.form import Form
from lasthop.study.nbiot.amounts import (
    Angle,
    Count,
    Decibels,
    IndoorLoss,
    Into,
    Length,
    Share,
    Switch,
)


class PathLoss(Form):
    """Path loss as a function of distance."""

    at_1_km: Decibels | None = Field(default=None, examples=["120.9 dB"])
    """Path loss at 1 km."""
    per_decade: Decibels | None = Field(default=None, examples=["37.6 dB"])
    """Increase of the path loss for a tenfold distance."""


class Shadowing(Form):
    """Slow, correlated variation of the path loss."""

    standard_deviation: Decibels | None = Field(default=None, examples=["8 dB"])
    """Standard deviation of the shadowing."""
    correlation_distance: Length | None = Field(default=None, examples=["110 m"])
    """Distance at which the correlation has fallen to 1/e."""
    site_correlation: Share | None = Field(default=None, examples=["50 %"])
    """Correlation between the paths to two sites."""


class Antenna(Form):
    """The antenna of a sector."""

    gain: Annotated[Decibels | None, Into("gain_dbi")] = Field(default=None, examples=["18 dB"])
    """Gain in the main direction, relative to an isotropic antenna."""
    beamwidth: Angle | None = Field(default=None, examples=["65 deg"])
    """Angle between the -3 dB points."""
    front_to_back: Decibels | None = Field(default=None, examples=["20 dB"])
    """Maximum attenuation of the pattern."""
    cable_loss: Decibels | None = Field(default=None, examples=["3 dB"])
    """Cable loss between antenna and connector."""


class Deployment(Form):
    """Sites with three sectors each on a hexagonal grid, with devices dropped at random."""

    cells: Count | None = Field(default=None, examples=["21"])
    """Number of cells, three for each site: 1 to 84."""
    inter_site_distance: Length | None = Field(default=None, examples=["1732 m"])
    """Distance between neighbouring sites."""
    wrap_around: Switch | None = Field(default=None, examples=["on"])
    """Whether the cluster is repeated around itself, so that no cell is at an edge."""
    path_loss: PathLoss | None = Field(
        default=None, examples=["{at_1_km: 120.9 dB, per_decade: 37.6 dB}"]
    )
    """Path loss as a function of distance."""
    shadowing: Shadowing | None = Field(default=None, examples=["{standard_deviation: 8 dB}"])
    """Shadowing: slow, spatially correlated variation of the path loss."""
    antenna: Antenna | None = Field(default=None, examples=["{gain: 18 dB, beamwidth: 65 deg}"])
    """The antenna of a sector."""
    device_antenna_gain: Annotated[Decibels | None, Into("device_antenna_gain_dbi")] = Field(
        default=None, examples=["-4 dB"]
    )
    """Gain of a device's antenna, relative to an isotropic antenna."""
    indoor_loss: Annotated[IndoorLoss | None, Into("indoor_loss")] = Field(
        default=None, examples=["20 dB"]
    )
    """Loss into the building: fixed, or the walls and depths of TR 45.820 annex D, scenario 1."""
    minimum_coupling_loss: Decibels | None = Field(default=None, examples=["70 dB"])
    """Lower limit of the coupling loss."""
