//! The configuration of a network, checked against the values that 3GPP allows.

mod allowed;
mod attach;
mod carrier;
mod cell_settings;
mod connection;
mod coverage_level;
mod deployment;
mod early_data;
mod idle;
mod link_adaptation;
mod network_time;
mod non_anchor;
mod overload;
mod power;
mod presets;
mod radio_channel;
mod random_access;
mod subframes;
mod switches;
mod uplink;

pub use allowed::ConfigError;
pub use attach::Attach;
pub use carrier::{Carrier, CarrierMode};
pub use cell_settings::CellSettings;
pub use connection::{
    Connection, DeviceCategory, Grants, LargestBlock, Polls, Procedure, ReleaseAssistance,
    RlcAcknowledgedMode,
};
pub use coverage_level::{ConnectedDrx, CoverageLevel, Nprach, SearchSpaceConfig};
pub use deployment::{BaseStationAntenna, Deployment, IndoorLoss, PathLoss, Placement, Shadowing};
pub use early_data::EarlyData;
pub(crate) use early_data::early_msg3;
pub use idle::{ExtendedDrx, Idle, PowerSavingMode, WakeUpSignal};
pub use link_adaptation::{AdaptationSets, DedicatedFormats, LinkAdaptation, RandomAccessFormats};
pub use network_time::{ModuleTime, NetworkTime};
pub use non_anchor::{CarrierUse, NonAnchorCarriers};
pub use overload::{AccessBarring, ConnectionReject, Reestablishment};
pub use power::DevicePower;
pub use presets::GoldenCarrier;
pub use radio_channel::{
    AcknowledgementEstimation, CombiningWeights, DownlinkEstimation, EstimationWindow, Fading,
    RadioChannel,
};
pub use random_access::{NprachFormat, RandomAccess};
pub use subframes::{DownlinkGap, SubframeMapConfig, SystemInformation};
pub use switches::Switches;
pub use uplink::{SubcarrierSpacing, Uplink};

use allowed::{integer_within, within};
use serde::{Deserialize, Serialize};

use crate::phy::NprachOccasions;

/// The complete configuration of an NB-IoT network, without defaults.
///
/// The run specification embeds this struct as it is. [`NetworkConfig::check`] holds every value against the set that
/// 3GPP allows for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkConfig {
    /// The positions of cells and devices.
    pub placement: Placement,
    /// The carrier of each cell.
    pub carrier: Carrier,
    /// The non-anchor carriers; `None` for none.
    pub non_anchor_carriers: Option<NonAnchorCarriers>,
    /// The transmit power of devices.
    pub device_power: DevicePower,
    /// The radio channel: fading, channel estimation, interference.
    pub channel: RadioChannel,
    /// The downlink subframes that carry data.
    pub subframes: SubframeMapConfig,
    /// The random access settings common to all coverage levels.
    pub random_access: RandomAccess,
    /// The RSRP thresholds between coverage levels, in dBm, descending (TS 36.331 `rsrp-ThresholdsPrachInfoList`).
    ///
    /// There is one less than levels. The value is the index minus 140.5 dBm.
    pub rsrp_thresholds_dbm: Vec<f64>,
    /// The coverage levels from 0: one to three.
    pub levels: Vec<CoverageLevel>,
    /// Settings of some cells that replace the network's thresholds, levels and carriers.
    pub cell_settings: Vec<CellSettings>,
    /// The uplink grid and the numbers of tones that a grant can have.
    pub uplink: Uplink,
    /// The connection settings: procedure, HARQ, RLC, timers.
    pub connection: Connection,
    /// The idle mode settings of devices.
    pub idle: Idle,
    /// The processing times of base station, core network and module.
    pub network: NetworkTime,
    /// The one-way delay between the packet gateway and the far end of the bearer, in ms.
    pub core_delay_ms: f64,
    /// The time after which a device drops a packet that it could not deliver, in ms.
    pub give_up_ms: u64,
    /// Switches that disable effects, for exact comparison with a hand calculation.
    pub switches: Switches,
}

impl NetworkConfig {
    /// The maximum number of cells of a network.
    pub const MAX_CELLS: u16 = 84;

    /// Returns the number of cells.
    #[must_use]
    pub fn cells(&self) -> u16 {
        match &self.placement {
            Placement::StatedCouplingLoss { cells, .. } => *cells,
            Placement::Deployment(deployment) => deployment.cells,
        }
    }

    /// Returns the number of carriers of a cell, or the maximum if cells differ.
    #[must_use]
    pub fn carriers(&self) -> usize {
        let own = (self.cell_settings.iter()).map(|own| &own.non_anchor_carriers);
        core::iter::once(&self.non_anchor_carriers)
            .chain(own)
            .map(|others| {
                1 + others
                    .as_ref()
                    .map_or(0, |others| usize::from(others.count))
            })
            .max()
            .unwrap_or(1)
    }

    /// Returns the coverage level of a device that measures this RSRP (TS 36.321 section 5.1.1).
    #[must_use]
    pub fn level_at(&self, rsrp_dbm: f64) -> usize {
        self.rsrp_thresholds_dbm
            .iter()
            .take_while(|threshold| rsrp_dbm < **threshold)
            .count()
    }

    /// Returns `edt-TBS` of a coverage level, or `None` if devices send no early data (TS 36.331 `edt-Parameters`).
    #[must_use]
    pub fn early_data_bits(&self, level: &CoverageLevel) -> Option<u16> {
        let of_all = self.connection.early_data_bits?;
        Some(level.early_data.as_ref()?.bits.unwrap_or(of_all))
    }

    /// The preamble opportunities of every level, and of those that announce early data.
    pub(crate) fn preamble_opportunities(&self) -> impl Iterator<Item = NprachOccasions> {
        let early = self.levels.iter().filter_map(|level| {
            self.early_data_bits(level)?;
            Some(&level.early_data.as_ref()?.nprach)
        });
        let format = self.random_access.nprach_format;
        self.levels
            .iter()
            .map(|level| &level.nprach)
            .chain(early)
            .map(move |nprach| NprachOccasions::new(nprach, format))
    }

    /// Checks that 3GPP allows every value, and that the values are consistent.
    ///
    /// # Errors
    ///
    /// The first field that does not, and the table that says so.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.placement.check().map_err(|e| e.under("placement"))?;
        self.carrier.check().map_err(|e| e.under("carrier"))?;
        if let Some(carriers) = &self.non_anchor_carriers {
            carriers
                .check(self.cells())
                .map_err(|e| e.under("non_anchor_carriers"))?;
        }
        self.device_power
            .check()
            .map_err(|e| e.under("device_power"))?;
        self.channel.check().map_err(|e| e.under("channel"))?;
        self.subframes.check().map_err(|e| e.under("subframes"))?;
        self.random_access
            .check()
            .map_err(|e| e.under("random_access"))?;
        self.uplink.check().map_err(|e| e.under("uplink"))?;
        self.connection.check().map_err(|e| e.under("connection"))?;
        self.check_levels()?;
        self.check_reestablishment()?;
        self.idle.check().map_err(|e| e.under("idle"))?;
        if let Some(barring) = &self.random_access.access_barring {
            let paging_cycle_ms = 10 * u64::from(self.idle.drx_cycle_frames);
            barring
                .check(paging_cycle_ms)
                .map_err(|e| e.under("random_access.access_barring"))?;
        }
        self.network.check(self).map_err(|e| e.under("network"))?;
        within(
            "core_delay_ms",
            self.core_delay_ms,
            0.0..=60_000.0,
            "lasthop",
            "ms",
        )?;
        integer_within(
            "give_up_ms",
            self.give_up_ms,
            1..=86_400_000,
            "lasthop",
            "ms",
        )?;
        self.check_cell_settings()
    }

    fn check_levels(&self) -> Result<(), ConfigError> {
        if !(1..=3).contains(&self.levels.len()) {
            return Err(ConfigError::new(
                "levels",
                format!(
                    "has {} coverage levels; TS 36.331 nprach-ParametersList allows 1, 2 or 3",
                    self.levels.len()
                ),
            ));
        }
        self.check_thresholds()?;
        for (number, level) in self.levels.iter().enumerate() {
            level
                .check(self)
                .map_err(|e| e.under(&format!("levels[{number}]")))?;
        }
        early_data::check_reach(self)?;
        self.check_preambles_apart()
    }

    /// Checks that a device that lost its cell can synchronise before T311 expires.
    fn check_reestablishment(&self) -> Result<(), ConfigError> {
        let Some(again) = &self.connection.reestablishment else {
            return Ok(());
        };
        let longest = self
            .levels
            .iter()
            .map(|level| level.synchronisation_ms)
            .max();
        match longest.filter(|longest| *longest > again.t311_ms) {
            None => Ok(()),
            Some(longest) => Err(ConfigError::new(
                "connection.reestablishment.t311_ms",
                format!(
                    "is {} ms, shorter than the synchronisation of a coverage level, {longest} ms; choose a longer one of \
                     TS 36.331 t311",
                    again.t311_ms
                ),
            )),
        }
    }

    /// Checks that the resources of preambles identify the level and early data.
    fn check_preambles_apart(&self) -> Result<(), ConfigError> {
        let all: Vec<NprachOccasions> = self.preamble_opportunities().collect();
        let early = (self.levels.iter().enumerate())
            .filter(|(_, level)| self.early_data_bits(level).is_some())
            .filter_map(|(number, level)| {
                Some((number, &level.early_data.as_ref()?.nprach, "early_data."))
            });
        let usual =
            (self.levels.iter().enumerate()).map(|(number, level)| (number, &level.nprach, ""));
        let named: Vec<_> = usual.chain(early).collect();
        for (place, (number, nprach, inside)) in named.iter().enumerate() {
            for (other, (earlier, _, other_inside)) in named[..place].iter().enumerate() {
                if all[place].overlaps(&all[other]) {
                    let of_early_data = if other_inside.is_empty() {
                        ""
                    } else {
                        " for early data"
                    };
                    return Err(ConfigError::new(
                        &format!("levels[{number}].{inside}nprach.tone_offset"),
                        format!(
                            "has tone offset {}, where its preambles meet those of level {earlier}{of_early_data} (TS 36.211 section 10.1.6); \
                             choose another nprach-SubcarrierOffset or nprach-StartTime",
                            nprach.tone_offset
                        ),
                    ));
                }
            }
        }
        Ok(())
    }

    fn check_thresholds(&self) -> Result<(), ConfigError> {
        let thresholds = &self.rsrp_thresholds_dbm;
        if thresholds.len() + 1 != self.levels.len() {
            return Err(ConfigError::new(
                "rsrp_thresholds_dbm",
                format!(
                    "has {} thresholds for {} coverage levels; TS 36.331 rsrp-ThresholdsPrachInfoList has one less \
                     than there are levels",
                    thresholds.len(),
                    self.levels.len()
                ),
            ));
        }
        for threshold in thresholds {
            within(
                "rsrp_thresholds_dbm",
                *threshold,
                -140.5..=-43.5,
                "TS 36.331 RSRP-Range",
                "dBm",
            )?;
        }
        match thresholds.windows(2).find(|pair| pair[0] <= pair[1]) {
            None => Ok(()),
            Some(pair) => Err(ConfigError::new(
                "rsrp_thresholds_dbm",
                format!(
                    "goes from {} to {} dBm; TS 36.331 rsrp-ThresholdsPrachInfoList must descend, level 0 first, as \
                     in [-108 dBm, -118 dBm]",
                    pair[0], pair[1]
                ),
            )),
        }
    }
}
