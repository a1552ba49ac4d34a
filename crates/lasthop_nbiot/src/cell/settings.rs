use std::sync::Arc;

use lasthop_units::Duration;

use super::link_adaptation::{AccessFormats, LinkFormats};
use crate::config::{CarrierMode, LinkAdaptation, NetworkConfig};
use crate::layer2::{RlcConfig, StatusReports, Subheaders};
use crate::link_tables;
use crate::phy::{DownlinkMaps, NprachOccasions, SearchSpace};
use crate::rrc::Sequence;

/// The settings of a network in the form in which cells and devices use them.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) config: NetworkConfig,
    pub(crate) maps: Arc<DownlinkMaps>,
    pub(crate) levels: Box<[LevelSettings]>,
    pub(crate) rlc: RlcConfig,
    pub(crate) subheaders: Subheaders,
    pub(crate) sequence: &'static Sequence,
    pub(crate) table_carrier: link_tables::Carrier,
    pub(crate) core_delay: Duration,
}

/// Those of one coverage level.
#[derive(Debug)]
pub(crate) struct LevelSettings {
    pub(crate) occasions: NprachOccasions,
    pub(crate) attempts: u8,
    pub(crate) access_space: SearchSpace,
    pub(crate) user_space: SearchSpace,
    pub(crate) response_window_pp: u8,
    /// Subframes from the end of Msg3.
    pub(crate) contention_resolution: u64,
    pub(crate) access: AccessFormats,
    pub(crate) formats: LinkFormats,
    pub(crate) drx: Option<Drx>,
}

/// Connected DRX (TS 36.321 5.7), in subframes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drx {
    /// onDurationTimer, from the start of each cycle.
    pub(crate) on: u64,
    /// drx-InactivityTimer.
    pub(crate) inactivity: u64,
    pub(crate) cycle: u64,
}

/// The longest contention resolution (TS 36.321 5.1.5).
const LONGEST_CONTENTION_RESOLUTION: u64 = 10_240;

impl Settings {
    pub(crate) fn new(config: NetworkConfig) -> Self {
        let table_carrier = match config.carrier.mode {
            CarrierMode::InBand { .. } => link_tables::Carrier::InBand,
            CarrierMode::Standalone | CarrierMode::GuardBand => link_tables::Carrier::Standalone,
        };
        let levels = (0..config.levels.len())
            .map(|number| LevelSettings::new(&config, number))
            .collect();
        let connection = &config.connection;
        let rlc = RlcConfig {
            t_poll_retransmit: Duration::from_millis(connection.rlc.t_poll_retransmit_ms.into()),
            max_retx_threshold: connection.rlc.maximum_retransmissions,
            status_reports: if config.switches.rlc_status {
                StatusReports::Transmitted {
                    on_gap: connection.rlc.status_on_gap,
                }
            } else {
                StatusReports::Free
            },
        };
        Self {
            maps: Arc::new(DownlinkMaps::new(&config)),
            levels,
            rlc,
            subheaders: if config.switches.hand_counted_blocks {
                Subheaders::OncePerSdu
            } else {
                Subheaders::Standard
            },
            sequence: Sequence::of(&config.connection),
            table_carrier,
            core_delay: Duration::from_nanos((config.core_delay_ms * 1e6) as u64),
            config,
        }
    }

    /// The block error rate that the scheduler aims at in a level; `None` where it does not choose.
    pub(crate) fn target_block_error(&self, level: u8) -> Option<f32> {
        match &self.config.levels[usize::from(level)].link_adaptation {
            LinkAdaptation::Fixed(_) => None,
            LinkAdaptation::Adaptive(sets) => Some(sets.target_block_error as f32),
        }
    }

    pub(crate) fn level(&self, level: u8) -> &LevelSettings {
        &self.levels[usize::from(level)]
    }
}

impl LevelSettings {
    fn new(config: &NetworkConfig, number: usize) -> Self {
        let level = &config.levels[number];
        let user_space = SearchSpace::new(&level.user_search_space);
        let access_space = SearchSpace::new(&level.random_access_search_space);
        Self {
            occasions: NprachOccasions::new(&level.nprach, config.random_access.nprach_format),
            attempts: level.nprach.attempts,
            access_space,
            user_space,
            response_window_pp: level.response_window_pp,
            contention_resolution: (u64::from(level.contention_resolution_pp)
                * access_space.period())
            .min(LONGEST_CONTENTION_RESOLUTION),
            access: AccessFormats::new(config, &level.random_access_formats),
            formats: LinkFormats::new(config, &level.link_adaptation),
            drx: level.connected_drx.as_ref().map(|drx| Drx {
                on: u64::from(drx.on_duration_pp) * user_space.period(),
                inactivity: u64::from(drx.inactivity_pp) * user_space.period(),
                cycle: u64::from(drx.cycle_subframes),
            }),
        }
    }
}
