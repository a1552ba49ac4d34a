use std::sync::Arc;

use lasthop_contract::{Expectation, Packet};
use lasthop_units::Duration;

use super::link_adaptation::{AccessFormats, LinkFormats};
use super::network_time::NetworkWaits;
use crate::config::{
    CarrierMode, LinkAdaptation, NetworkConfig, Nprach, Procedure, ReleaseAssistance, early_msg3,
};
use crate::device::{CONTROL_ERROR, Expected};
use crate::layer2::{RlcConfig, StatusReports, Subheaders};
use crate::link_tables;
use crate::phy::{DownlinkMaps, NPDSCH_BLOCK_BITS, NprachOccasions, NpuschFormat, SearchSpace};
use crate::rrc::Sequence;

/// The settings of a network in the form in which cells and devices use them.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) config: NetworkConfig,
    /// Of an anchor carrier, and of another.
    pub(crate) maps: Arc<DownlinkMaps>,
    pub(crate) non_anchor_maps: Arc<DownlinkMaps>,
    pub(crate) levels: Box<[LevelSettings]>,
    pub(crate) rlc: RlcConfig,
    pub(crate) subheaders: Subheaders,
    pub(crate) sequence: &'static Sequence,
    /// The procedure of early data, and what becomes of it if the network wants a connection.
    pub(crate) early_data: Option<(&'static Sequence, &'static Sequence)>,
    pub(crate) table_carrier: link_tables::Carrier,
    /// From the base station to the far end of a bearer.
    pub(crate) core_delay: Duration,
    pub(crate) waits: NetworkWaits,
    /// Above which the base station takes what it receives for an answer, over the deviation of its noise.
    pub(crate) silence_threshold: Option<f64>,
}

/// Those of one coverage level.
#[derive(Debug)]
pub(crate) struct LevelSettings {
    /// How devices get in.
    pub(crate) entry: Entry,
    /// How they do with data in Msg3.
    pub(crate) early_entry: Option<Entry>,
    pub(crate) access_space: SearchSpace,
    pub(crate) user_space: SearchSpace,
    pub(crate) response_window_pp: u8,
    pub(crate) access: AccessFormats,
    pub(crate) formats: LinkFormats,
    pub(crate) drx: Option<Drx>,
}

/// Preambles, and what follows them up to Msg4.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) occasions: NprachOccasions,
    pub(crate) attempts: u8,
    pub(crate) msg3: NpuschFormat,
    /// How long contention may go unresolved, in subframes from the end of Msg3.
    pub(crate) contention_resolution: u64,
}

/// Connected DRX (TS 36.321 section 5.7), in subframes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drx {
    /// onDurationTimer, from the start of each cycle.
    pub(crate) on: u64,
    /// drx-InactivityTimer.
    pub(crate) inactivity: u64,
    pub(crate) cycle: u64,
}

/// The longest contention resolution (TS 36.321 section 5.1.5).
const LONGEST_CONTENTION_RESOLUTION: u64 = 10_240;

/// A block of NPBCH is sent in subframe 0 of 8 frames, and 8 of them carry the same information (TS 36.211 section 10.2.4).
const NPBCH_BLOCK_SUBFRAMES: u64 = 8;
const NPBCH_BLOCK_MS: u64 = 80;
const NPBCH_BLOCKS: u64 = 8;

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
            polls: connection.rlc.polls,
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
            non_anchor_maps: Arc::new(DownlinkMaps::of_non_anchor(&config)),
            levels,
            rlc,
            subheaders: if config.switches.hand_counted_blocks {
                Subheaders::OncePerSdu
            } else {
                Subheaders::Standard
            },
            sequence: Sequence::of(&config.connection),
            early_data: Sequence::early_data_of(&config.connection)
                .map(|early| (early, Sequence::fallback_of(&config.connection))),
            table_carrier,
            core_delay: core_delay(&config),
            waits: NetworkWaits::new(&config.network),
            silence_threshold: (config.channel.silence_as_acknowledgement).map(normal_deviate),
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

    /// What a device tells of what it expects after a packet.
    pub(crate) fn assistance(&self, packet: &Packet) -> Option<Expectation> {
        let expectation = packet.expectation()?;
        match self.config.connection.release_assistance {
            ReleaseAssistance::Off => None,
            ReleaseAssistance::AfterReply => Some(expectation),
            ReleaseAssistance::AfterLastUplink => Some(Expectation::NothingMore),
        }
    }

    pub(crate) fn level(&self, level: u8) -> &LevelSettings {
        &self.levels[usize::from(level)]
    }

    /// How many milliseconds a device listens to be in step again after a deep sleep: as many blocks of NPBCH as it needs. A block and a
    /// DCI are alike: 50 and 39 bits by the same code, in 8 subframes and in one.
    pub(crate) fn wake_up_ms(&self, level: u8, expected: &Expected) -> u64 {
        NPBCH_BLOCK_MS * self.npbch_blocks(level, expected)
    }

    /// How many blocks of NPBCH a device needs to read it.
    pub(crate) fn npbch_blocks(&self, level: u8, expected: &Expected) -> u64 {
        let repetitions = self.level(level).formats.dci_repetitions(expected);
        let blocks = u64::from(repetitions).div_ceil(NPBCH_BLOCK_SUBFRAMES);
        blocks.min(NPBCH_BLOCKS)
    }

    /// How many repetitions of SIB1-NB, or of another message of this size, a device receives until it fails to read it in one of a
    /// hundred cases. Both are sent as an NPDSCH of 2 or 8 subframes (TS 36.213 table 16.4.1.5.2-1, TS 36.331 `si-TB`).
    pub(crate) fn broadcast_repetitions(&self, bits: u16, expected: &Expected) -> u64 {
        let column = if bits <= 120 { 1 } else { 6 };
        let row = (NPDSCH_BLOCK_BITS.iter()).position(|row| row[column] == bits);
        let rate = row.and_then(|row| {
            link_tables::BlockErrorRate::npdsch(self.table_carrier, row as u8, column as u8)
        });
        let required_db = rate.map_or(f64::INFINITY, |rate| rate.es_n0_db(CONTROL_ERROR));
        let expected_db = f64::from(expected.downlink_db - expected.control_margin_db);
        let repetitions = libm::ceil(libm::pow(10.0, (required_db - expected_db) / 10.0));
        (repetitions as u64).max(1)
    }
}

/// From the base station to the far end of a bearer: inside NAS messages packets pass the MME.
fn core_delay(config: &NetworkConfig) -> Duration {
    let mme_ms = match config.connection.procedure {
        Procedure::ControlPlane => config.network.mme_ms,
        Procedure::ServiceRequest | Procedure::Resume => 0,
    };
    Duration::from_nanos((config.core_delay_ms * 1e6) as u64)
        + Duration::from_millis((config.network.user_plane_ms + mme_ms).into())
}

/// The value that a standard normal number exceeds with a probability, by bisection.
pub(super) fn normal_deviate(probability: f64) -> f64 {
    let (mut low, mut high) = (-10.0, 10.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if 0.5 * libm::erfc(middle * core::f64::consts::FRAC_1_SQRT_2) > probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

impl LevelSettings {
    fn new(config: &NetworkConfig, number: usize) -> Self {
        let level = &config.levels[number];
        let user_space = SearchSpace::new(&level.user_search_space);
        let access_space = SearchSpace::new(&level.random_access_search_space);
        let access = AccessFormats::new(config, &level.random_access_formats);
        let entry = |nprach: &Nprach, msg3: NpuschFormat, contention_resolution_pp: u8| Entry {
            occasions: NprachOccasions::new(nprach, config.random_access.nprach_format),
            attempts: nprach.attempts,
            msg3,
            contention_resolution: (u64::from(contention_resolution_pp) * access_space.period())
                .min(LONGEST_CONTENTION_RESOLUTION),
        };
        let early_msg3 = config
            .early_data_bits(level)
            .and_then(|bits| early_msg3(level, config, bits));
        let early_data = level.early_data.as_ref().zip(early_msg3);
        Self {
            entry: entry(&level.nprach, access.msg3, level.contention_resolution_pp),
            early_entry: early_data
                .map(|(early, msg3)| entry(&early.nprach, msg3, early.contention_resolution_pp)),
            access_space,
            user_space,
            response_window_pp: level.response_window_pp,
            access,
            formats: LinkFormats::new(config, &level.link_adaptation),
            drx: level.connected_drx.as_ref().map(|drx| Drx {
                on: u64::from(drx.on_duration_pp) * user_space.period(),
                inactivity: u64::from(drx.inactivity_pp) * user_space.period(),
                cycle: u64::from(drx.cycle_subframes),
            }),
        }
    }

    /// How devices get in, with data in Msg3 or as usual.
    pub(crate) fn entry(&self, early: bool) -> &Entry {
        match &self.early_entry {
            Some(entry) if early => entry,
            _ => &self.entry,
        }
    }
}
