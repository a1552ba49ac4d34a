"""Schemas of the settings of a cell: thresholds, coverage levels and carriers."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, Tag, model_validator

from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form
from lasthop.study.nbiot.amounts import Count, CouplingLoss, Into, Off, PowerLevel
from lasthop.study.nbiot.coverage_level import CoverageLevels
from lasthop.study.text.faults import Fault

MOST_THRESHOLDS = 2
"""Maximum number of thresholds (TS 36.331 rsrp-ThresholdsPrachInfoList)."""


class NonAnchorCarriers(Form):
    """Carriers of each cell beside the anchor."""

    count: Count = Field(examples=["3"])
    """Number of non-anchor carriers of a cell."""
    anchor_sixteenths: Count = Field(examples=["4"])
    """Sixteenths of the devices on the anchor. The others share the non-anchor carriers."""
    serve: Literal["everything", "data"] = Field(default="everything", examples=["data"])
    """Use of these carriers: random access, paging and data (release 14), or only data of
    connections (release 13)."""


class CellSettings(Form):
    """Settings of some cells that replace those of the network."""

    cells: Annotated[list[Count], Field(min_length=1, max_length=84)] = Field(
        examples=["[0, 1, 2]"]
    )
    """Numbers of the cells, from 0. The sectors of a site follow each other."""
    coupling_loss_thresholds: list[CouplingLoss] | None = Field(
        default=None, examples=["[140 dB, 150 dB]"]
    )
    """Thresholds between the coverage levels as coupling loss, lowest first."""
    rsrp_thresholds: Annotated[list[PowerLevel] | None, Into("rsrp_thresholds_dbm")] = Field(
        default=None, examples=["[-104.8 dBm, -114.8 dBm]"]
    )
    """Thresholds between the coverage levels as RSRP, highest first."""
    coverage_levels: Annotated[CoverageLevels | None, Into("levels")] = Field(
        default=None, examples=["{ce0: {nprach: {repetitions: 2}}}"]
    )
    """Changes to the coverage levels of these cells."""
    non_anchor_carriers: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[NonAnchorCarriers, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None
    ) = Field(default=None, examples=["{count: 1, anchor_sixteenths: 8}"])
    """Carriers of these cells beside the anchor."""

    @model_validator(mode="after")
    def _something(self) -> CellSettings:
        if self.model_fields_set == {"cells"}:
            raise Fault(
                "no setting is given for these cells",
                hint='add one, for example "coupling_loss_thresholds: [140 dB, 150 dB]"',
            )
        check_thresholds(self.coupling_loss_thresholds, self.rsrp_thresholds)
        return self


def check_thresholds(losses: list[float] | None, powers: list[float] | None) -> None:
    """Check that thresholds have one notation, rise, and can be signalled by a network.

    Parameters
    ----------
    losses
        Thresholds as coupling losses.
    powers
        Thresholds as received power.

    Raises
    ------
    Fault
        If they are not.
    """
    if losses is not None and powers is not None:
        raise Fault(
            "both coupling_loss_thresholds and rsrp_thresholds are given",
            hint="remove one of them",
            location=("rsrp_thresholds",),
            at_key=True,
        )
    if losses is not None and losses != sorted(set(losses)):
        raise Fault(
            "the thresholds are not in ascending order",
            hint="write the smallest first, for example [144 dB, 154 dB] (TS "
            "36.331 rsrp-ThresholdsPrachInfoList)",
            location=("coupling_loss_thresholds",),
        )
    for name, written in (("coupling_loss_thresholds", losses), ("rsrp_thresholds", powers)):
        count = len(written or ())
        if count > MOST_THRESHOLDS:
            raise Fault(
                f"{count} thresholds make {count + 1} CE levels",
                hint=f"write at most {MOST_THRESHOLDS} thresholds (TS 36.331 "
                "rsrp-ThresholdsPrachInfoList)",
                location=(name,),
            )
