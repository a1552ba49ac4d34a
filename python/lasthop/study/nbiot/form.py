"""Form of an NB-IoT network, as changes to a preset."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, Tag, model_validator

from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form
from lasthop.study.fields.shares import COUPLING_LOSSES, Shares
from lasthop.study.fields.survey import SCALAR_SHARES_OR_SURVEY, SurveyedShares
from lasthop.study.nbiot.amounts import (
    FRAME_NS,
    SECOND_NS,
    Assistance,
    Count,
    CouplingLoss,
    Decibels,
    Duration,
    Factor,
    Frequency,
    Into,
    Off,
    PowerLevel,
    Switch,
)
from lasthop.study.nbiot.carrier import Carrier, Channel, DevicePower, Subframes, Switches
from lasthop.study.nbiot.cell_settings import CellSettings, NonAnchorCarriers, check_thresholds
from lasthop.study.nbiot.coverage_level import Counts, CoverageLevels
from lasthop.study.nbiot.deployment import Deployment
from lasthop.study.nbiot.network_time import NetworkTime, NetworkTimeName
from lasthop.study.text.faults import Fault

CELLS = 21
"""Default number of cells of a deployment."""


class ConnectionReject(Form):
    """Rejection of connection requests by the base station."""

    above_waiting: Count = Field(examples=["50"])
    """Number of devices waiting for resources of the cell above which requests are rejected."""
    wait: Annotated[Duration, Into("wait_s", SECOND_NS)] = Field(examples=["60 s"])
    """Time that a rejected device waits before it tries again."""


class AccessBarring(Form):
    """Access barring, which keeps some devices from starting a connection."""

    classes: Annotated[Count, Into("barred_classes")] = Field(examples=["5"])
    """Number of barred access classes at a time, of ten."""
    moves_on: Duration = Field(examples=["30 s"])
    """Time after which the next class is barred."""


class Reestablishment(Form):
    """Re-establishment of a device after a radio link failure."""

    t311: Duration = Field(examples=["10 s"])
    """Timer T311: longest time of the search for a cell."""
    t301: Duration = Field(examples=["25 s"])
    """Timer T301: longest time of the re-establishment request to the cell."""


class RandomAccess(Form):
    """Random access settings that all coverage levels share."""

    nprach_format: Literal["format0", "format1"] | None = Field(default=None, examples=["format0"])
    """Preamble format: for cells of up to 10 km, or up to 40 km."""
    preamble_attempts: Count | None = Field(default=None, examples=["20"])
    """Largest number of preamble attempts over all coverage levels."""
    back_off: Duration | None = Field(default=None, examples=["512 ms"])
    """Maximum random backoff of a device before its next attempt."""
    msg3_capture: Decibels | None = Field(default=None, examples=["6 dB"])
    """A Msg3 survives a collision if it is received this much stronger than all others together."""
    reject: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[ConnectionReject, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None
    ) = Field(default=None, examples=["{above_waiting: 50, wait: 60 s}"])
    """Rejection of connection requests by the base station."""
    access_barring: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[AccessBarring, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None
    ) = Field(default=None, examples=["{classes: 5, moves_on: 30 s}"])
    """Access barring, which keeps some devices from starting a connection."""


class Uplink(Form):
    """Settings of the NPUSCH: subcarrier spacing and tones."""

    subcarrier_spacing: Annotated[Frequency | None, Into("subcarrier_spacing")] = Field(
        default=None, examples=["15 kHz"]
    )
    """Subcarrier spacing of the NPUSCH: 15 kHz or 3.75 kHz."""
    tones: Counts | None = Field(default=None, examples=["[1, 3, 6, 12]"])
    """Numbers of tones that the scheduler may grant."""


class Rlc(Form):
    """Settings of RLC acknowledged mode."""

    t_poll_retransmit: Duration | None = Field(default=None, examples=["6000 ms"])
    """Time after which a poll without a status report is repeated."""
    maximum_retransmissions: Count | None = Field(default=None, examples=["4"])
    """Number of retransmissions of a data unit after which the bearer has failed."""
    status_on_gap: Switch | None = Field(default=None, examples=["on"])
    """Whether a receiver that misses a data unit reports this without being polled."""
    polls: Literal["last", "each"] | None = Field(default=None, examples=["each"])
    """Data units that ask for a status report: the last one, or each. With `each`, the next data
    unit waits for the report."""


class LargestBlock(Form):
    """Largest transport block of a connected device, rounded up to a size of the tables."""

    uplink_bits: Count | None = Field(default=None, examples=["344"])
    """Largest block on the NPUSCH, in bits."""
    downlink_bits: Count | None = Field(default=None, examples=["344"])
    """Largest block on the NPDSCH, in bits."""


class ExtendedDrx(Form):
    """Settings of extended idle-mode DRX (eDRX)."""

    cycle: Duration = Field(examples=["81920 ms"])
    """Time between two paging opportunities."""
    paging_time_window: Duration = Field(examples=["2560 ms"])
    """Length of the paging window in each cycle. It must not be shorter than `drx_cycle`."""


class Attach(Form):
    """Registration of a device with the network: when it joins, and each time it is switched on."""

    t3402: Duration | None = Field(default=None, examples=["12 min"])
    """Timer T3402: wait after five failed attempts, 12 min by default. After each of the first four
    the wait is 10 s (T3411)."""
    q_rx_lev_min: PowerLevel | None = Field(default=None, examples=["-140 dBm"])
    """RSRP above which a device finds a suitable cell (`q-RxLevMin`), by default -140 dBm."""
    sib1_bits: Count | None = Field(default=None, examples=["440"])
    """Size of SIB1-NB in bits, 440 by default."""
    failed_search: Duration | None = Field(default=None, examples=["2 min"])
    """Time of a cell search on all carriers that finds none, 2 min by default."""
    search_waits: Annotated[list[Duration] | None, Into("search_waits_ms")] = Field(
        default=None, examples=["[10 s, 5 min, 1 h]"]
    )
    """Waits between cell searches that found none. The last one repeats. By default 10 s, 40 s,
    5 min, 10 min, 30 min, 30 min and then 1 h."""


class WakeUpSignal(Form):
    """Settings of the wake-up signal before a page."""

    duration_divisor: Count = Field(examples=["64"])
    """Length of the signal: `paging_rmax` divided by this, in subframes, at least one."""
    time_offset: Duration = Field(examples=["80 ms"])
    """Time from the end of the signal to the paging occasion."""


class PowerSavingMode(Form):
    """Settings of power saving mode (PSM)."""

    t3324: Duration = Field(examples=["10 s"])
    """Active timer T3324: time after a connection during which the device can still be paged."""
    t3412: Duration = Field(examples=["5 d"])
    """Periodic timer T3412: time between tracking area updates."""


class Nbiot(Form):
    """An NB-IoT network, or one cell with devices at a stated coupling loss."""

    base: Literal["larmo_2019", "single_device"] | None = Field(
        default=None, examples=["larmo_2019"]
    )
    """Preset for every key that is left out."""
    coupling_loss: Annotated[
        Annotated[
            Annotated[CouplingLoss, Tag("<value>")]
            | Annotated[Shares, COUPLING_LOSSES, Tag("<mapping>")]
            | Annotated[SurveyedShares, Tag("<survey>")],
            SCALAR_SHARES_OR_SURVEY,
        ]
        | None,
        Into("placement.stated_coupling_loss.coupling_loss_db"),
    ] = Field(
        default=None,
        examples=["154 dB", "{144 dB: 80 %, 154 dB: 15 %, 164 dB: 5 %}", "{from: survey.csv}"],
    )
    """Coupling loss of all devices, or of each stratum of a group, in one cell without neighbours.
    `from` reads the strata of a real fleet from a CSV file.
    With the cells of a deployment, the devices are divided among that many cells, which do not
    interfere with each other."""
    deployment: Annotated[Deployment | None, Into("placement.deployment")] = Field(
        default=None, examples=["{cells: 21, inter_site_distance: 1732 m}"]
    )
    """Sites with sectors, and devices dropped at random between them."""
    carrier: Carrier | None = Field(default=None, examples=["{mode: in_band, power: 35 dBm}"])
    """The carrier of each cell."""
    non_anchor_carriers: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[NonAnchorCarriers, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None
    ) = Field(default=None, examples=["{count: 3, anchor_sixteenths: 4}"])
    """Carriers of each cell beside the anchor, for all that an anchor carries or for data alone."""
    device_power: DevicePower | None = Field(default=None, examples=["{maximum: 20 dBm}"])
    """Transmit power of the devices."""
    channel: Channel | None = Field(default=None, examples=["{fading: typical_urban}"])
    """Settings of fading, channel estimation and interference."""
    subframes: Subframes | None = Field(default=None, examples=["{sib1_repetitions: 8}"])
    """Downlink subframes that carry data."""
    random_access: RandomAccess | None = Field(default=None, examples=["{back_off: 512 ms}"])
    """Random access settings that all coverage levels share."""
    coupling_loss_thresholds: list[CouplingLoss] | None = Field(
        default=None, examples=["[144 dB, 154 dB]"]
    )
    """Thresholds between the coverage levels as coupling loss, lowest first."""
    rsrp_thresholds: Annotated[list[PowerLevel] | None, Into("rsrp_thresholds_dbm")] = Field(
        default=None, examples=["[-108.8 dBm, -118.8 dBm]"]
    )
    """Thresholds between the coverage levels as RSRP, highest first."""
    coverage_levels: Annotated[CoverageLevels | None, Into("levels")] = Field(
        default=None, examples=["{ce2: {nprach: {repetitions: 64}}}"]
    )
    """Settings of random access and transmission for each coverage level."""
    cell_settings: Annotated[list[CellSettings] | None, Field(max_length=84)] = Field(
        default=None,
        examples=["[{cells: [0, 1, 2], coupling_loss_thresholds: [140 dB, 150 dB]}]"],
    )
    """Other thresholds, levels and carriers for some of the cells."""
    uplink: Uplink | None = Field(default=None, examples=["{subcarrier_spacing: 15 kHz}"])
    """Settings of the NPUSCH: subcarrier spacing and tones."""
    procedure: Annotated[
        Literal["service_request", "resume", "control_plane"] | None, Into("connection.procedure")
    ] = Field(default=None, examples=["resume"])
    """How data is sent: over a new bearer, a resumed one (user plane), or in NAS messages (control
    plane)."""
    early_data_bits: Annotated[Count | None, Into("connection.early_data_bits")] = Field(
        default=None, examples=["1000"]
    )
    """Rel-15 early data in Msg3, up to this transport block."""
    security: Annotated[Switch | None, Into("connection.security")] = Field(
        default=None, examples=["on"]
    )
    """Whether a service request activates security."""
    rohc: Annotated[Switch | None, Into("connection.rohc")] = Field(default=None, examples=["off"])
    """Whether PDCP compresses headers."""
    category: Annotated[Literal["nb1", "nb2"] | None, Into("connection.category")] = Field(
        default=None, examples=["nb1"]
    )
    """Device release: 13 or 14."""
    harq_processes: Annotated[Count | None, Into("connection.harq_processes")] = Field(
        default=None, examples=["1"]
    )
    """HARQ processes of each direction."""
    harq_transmissions: Annotated[Count | None, Into("connection.harq_transmissions")] = Field(
        default=None, examples=["4"]
    )
    """Transmissions of a transport block before RLC retransmits."""
    grant_after_downlink: Annotated[Switch | None, Into("connection.grant_after_downlink")] = Field(
        default=None, examples=["on"]
    )
    """Whether a device can answer downlink data without random access."""
    grants: Annotated[
        Literal["as_reported", "one_per_request"] | None, Into("connection.grants")
    ] = Field(default=None, examples=["one_per_request"])
    """Uplink grants for data: until all reported data has arrived, or one after each random
    access."""
    largest_block: Annotated[LargestBlock | None, Into("connection.largest_block")] = Field(
        default=None, examples=["{uplink_bits: 344}"]
    )
    """Largest transport block of a connected device. Default: all sizes of the tables are
    allowed."""
    rlc: Annotated[Rlc | None, Into("connection.rlc")] = Field(
        default=None, examples=["{t_poll_retransmit: 6000 ms}"]
    )
    """Settings of RLC acknowledged mode."""
    t300: Annotated[Duration | None, Into("connection.t300_ms")] = Field(
        default=None, examples=["40 s"]
    )
    """Timer T300: a connection request without an answer in this time has failed."""
    inactivity: Annotated[Duration | None, Into("connection.inactivity_ms")] = Field(
        default=None, examples=["20 s"]
    )
    """Time without data after which the base station releases a connection."""
    release_assistance: Annotated[Assistance | None, Into("connection.release_assistance")] = Field(
        default=None, examples=["on"]
    )
    """Hint of the device that lets the network release it before `inactivity` is over.
    `after_reply` (or `on`): one answer follows, or none. `after_last_uplink`: nothing follows, and
    an answer needs paging. `off`: no hint."""
    reestablishment: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[Reestablishment, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
            Into("connection.reestablishment"),
        ]
        | None
    ) = Field(default=None, examples=["{t311: 10 s, t301: 25 s}"])
    """Settings of re-establishment after a radio link failure."""
    system_information_known: Annotated[Switch | None, Into("idle.system_information_known")] = (
        Field(default=None, examples=["on"])
    )
    """Whether a device that joins already knows the system information."""
    clock_ppm: Annotated[Factor | None, Into("idle.clock_ppm")] = Field(
        default=None, examples=["20"]
    )
    """Largest clock error of a device in deep sleep, in ppm. With 0 it wakes up in time."""
    cell_search: Annotated[Duration | None, Into("idle.cell_search_ms")] = Field(
        default=None, examples=["2 min"]
    )
    """Time of the search for the carrier when a device registers."""
    attach: (
        Annotated[
            Annotated[Switch, Tag("<value>")] | Annotated[Attach, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
            Into("idle.attach"),
        ]
        | None
    ) = Field(default=None, examples=["on", "{t3402: 12 min}"])
    """Registration of each device when it joins, with the energy of failed attempts. With `off`,
    devices are registered from the start."""
    drx_cycle: Annotated[Duration | None, Into("idle.drx_cycle_frames", FRAME_NS)] = Field(
        default=None, examples=["2560 ms"]
    )
    """The paging cycle of an idle device."""
    paging_rmax: Annotated[Count | None, Into("idle.paging_rmax")] = Field(
        default=None, examples=["64"]
    )
    """Largest number of repetitions of a paging DCI."""
    wake_up_signal: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[WakeUpSignal, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
            Into("idle.wake_up_signal"),
        ]
        | None
    ) = Field(default=None, examples=["{duration_divisor: 64, time_offset: 80 ms}"])
    """Wake-up signal before a page, so that an idle device does not monitor every paging
    occasion."""
    edrx: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[ExtendedDrx, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
            Into("idle.extended_drx"),
        ]
        | None
    ) = Field(default=None, examples=["{cycle: 81920 ms, paging_time_window: 2560 ms}"])
    """Settings of extended idle-mode DRX (eDRX)."""
    psm: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[PowerSavingMode, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
            Into("idle.power_saving_mode"),
        ]
        | None
    ) = Field(default=None, examples=["{t3324: 10 s, t3412: 5 d}"])
    """Settings of power saving mode (PSM)."""
    network: (
        Annotated[
            Annotated[NetworkTimeName, Tag("<value>")] | Annotated[NetworkTime, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None
    ) = Field(default=None, examples=["operator_norway_2019", "{mme: 100 ms}"])
    """Delays of base station, core and module: a preset, or changes to the default. The default is
    `operator_norway_2019`, and `ideal` with `base: larmo_2019`."""
    core_delay: Duration | None = Field(default=None, examples=["4 ms"])
    """One-way delay between the packet gateway and the far end of the bearer."""
    packet_give_up: Annotated[Duration | None, Into("give_up_ms")] = Field(
        default=None, examples=["60 s"]
    )
    """Time after which a device discards a packet that it could not send."""
    switches: Switches | None = Field(default=None, examples=["{block_errors: off}"])
    """Effects that can be turned off, to compare with a calculation that ignores them."""

    @model_validator(mode="after")
    def _somewhere(self) -> Nbiot:
        if self.coupling_loss is not None and self.deployment is not None:
            for key in sorted(self.deployment.model_fields_set - {"cells"}):
                raise Fault(
                    f'"{key}" has no effect, because coupling_loss is given',
                    hint="remove it, or remove coupling_loss",
                    location=("deployment", key),
                    at_key=True,
                )
        if self.coupling_loss is None and self.deployment is None and self.base != "larmo_2019":
            raise Fault(
                "the coupling loss of the devices is missing",
                hint='write "coupling_loss: 154 dB", "deployment: {cells: 21}" or '
                '"base: larmo_2019"',
            )
        return self

    @model_validator(mode="after")
    def _thresholds_once(self) -> Nbiot:
        check_thresholds(self.coupling_loss_thresholds, self.rsrp_thresholds)
        return self

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        stated = None if self.deployment is None else self.deployment.cells
        if stated is not None:
            return stated
        return CELLS if self.coupling_loss is None else 1

    @property
    def preset(self) -> str:
        """Return the name of the preset for all missing keys."""
        if self.base is not None:
            return self.base
        return "larmo_2019" if self.coupling_loss is None else "single_device"
