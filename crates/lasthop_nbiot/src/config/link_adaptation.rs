use serde::{Deserialize, Serialize};

use super::allowed::{NPDSCH_REPETITIONS, UPLINK_REPETITIONS, all_of, one_of, within};
use super::{CarrierMode, ConfigError, DeviceCategory, NetworkConfig, SearchSpaceConfig};

/// The formats of random access responses, Msg3 and Msg4 in a coverage level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomAccessFormats {
    /// The number of repetitions of the DCI.
    pub dci_repetitions: u16,
    /// The transport block size index of the NPDSCH.
    pub npdsch_i_tbs: u8,
    /// The number of repetitions of the NPDSCH.
    pub npdsch_repetitions: u16,
    /// The MCS field of the grant in a random access response: 0, 1, 2 give 88 bit in 4, 3, 1 resource units (TS 36.213
    /// table 16.3.3-1).
    pub msg3_mcs: u8,
    /// The number of tones of a Msg3 whose preamble announced multi-tone.
    pub msg3_tones: u8,
    /// The number of repetitions of Msg3.
    pub msg3_repetitions: u16,
    /// The number of repetitions of the acknowledgement of Msg4: `ack-NACK-NumRepetitions-Msg4`.
    pub ack_repetitions: u16,
}

/// The link adaptation of connected devices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LinkAdaptation {
    /// The same format for all devices of the level.
    Fixed(DedicatedFormats),
    /// The cheapest format for each device that meets the target.
    Adaptive(AdaptationSets),
}

/// The transmission formats of connected devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DedicatedFormats {
    /// The number of repetitions of the DCI.
    pub dci_repetitions: u16,
    /// The transport block size index of the NPDSCH.
    pub npdsch_i_tbs: u8,
    /// The number of repetitions of the NPDSCH.
    pub npdsch_repetitions: u16,
    /// The number of tones of the NPUSCH.
    pub npusch_tones: u8,
    /// The transport block size index of the NPUSCH.
    pub npusch_i_tbs: u8,
    /// The number of repetitions of the NPUSCH.
    pub npusch_repetitions: u16,
    /// The number of repetitions of an acknowledgement: `ack-NACK-NumRepetitions`.
    pub ack_repetitions: u16,
}

/// The formats that the scheduler can choose, in any order. The numbers of tones are in [`super::Uplink`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdaptationSets {
    /// The target block error rate of a first transmission.
    pub target_block_error: f64,
    /// The numbers of repetitions of the DCI.
    pub dci_repetitions: Vec<u16>,
    /// The transport block size indices of the NPDSCH.
    pub npdsch_i_tbs: Vec<u8>,
    /// The numbers of repetitions of the NPDSCH.
    pub npdsch_repetitions: Vec<u16>,
    /// The transport block size indices of NPUSCH. Single-tone grants use those up to 10.
    pub npusch_i_tbs: Vec<u8>,
    /// The numbers of repetitions of the NPUSCH.
    pub npusch_repetitions: Vec<u16>,
    /// The numbers of repetitions of an acknowledgement.
    pub ack_repetitions: Vec<u16>,
}

const NPDSCH_REPETITION_TABLE: &str = "TS 36.213 table 16.4.1.3-2";
const NPUSCH_REPETITION_TABLE: &str = "TS 36.213 table 16.5.1.1-3";
const ACK_TABLE: &str = "TS 36.331 ack-NACK-NumRepetitions";

impl RandomAccessFormats {
    pub(super) fn check(
        &self,
        space: &SearchSpaceConfig,
        network: &NetworkConfig,
    ) -> Result<(), ConfigError> {
        check_dci(&[self.dci_repetitions], space)?;
        // A response and Msg4 may go to a device of any category.
        check_npdsch_i_tbs(
            &[self.npdsch_i_tbs],
            network.carrier.mode,
            DeviceCategory::Nb1,
        )?;
        all_of(
            "npdsch_repetitions",
            &[self.npdsch_repetitions],
            &NPDSCH_REPETITIONS,
            NPDSCH_REPETITION_TABLE,
        )?;
        one_of(
            "msg3_mcs",
            self.msg3_mcs,
            &[0, 1, 2],
            "TS 36.213 table 16.3.3-1",
            "",
        )?;
        one_of(
            "msg3_tones",
            self.msg3_tones,
            network.uplink.subcarrier_spacing.allowed_tone_counts(),
            "TS 36.211 table 10.1.2.3-1 at this spacing",
            "tones",
        )?;
        one_of(
            "msg3_repetitions",
            self.msg3_repetitions,
            &UPLINK_REPETITIONS,
            NPUSCH_REPETITION_TABLE,
            "",
        )?;
        one_of(
            "ack_repetitions",
            self.ack_repetitions,
            &UPLINK_REPETITIONS,
            "TS 36.331 ack-NACK-NumRepetitions-Msg4",
            "",
        )
    }
}

impl LinkAdaptation {
    pub(super) fn check(
        &self,
        space: &SearchSpaceConfig,
        network: &NetworkConfig,
    ) -> Result<(), ConfigError> {
        match self {
            Self::Fixed(formats) => formats.check(space, network).map_err(|e| e.under("fixed")),
            Self::Adaptive(sets) => sets.check(space, network).map_err(|e| e.under("adaptive")),
        }
    }
}

impl DedicatedFormats {
    fn check(&self, space: &SearchSpaceConfig, network: &NetworkConfig) -> Result<(), ConfigError> {
        let category = network.connection.category;
        check_dci(&[self.dci_repetitions], space)?;
        check_npdsch_i_tbs(&[self.npdsch_i_tbs], network.carrier.mode, category)?;
        all_of(
            "npdsch_repetitions",
            &[self.npdsch_repetitions],
            &NPDSCH_REPETITIONS,
            NPDSCH_REPETITION_TABLE,
        )?;
        one_of(
            "npusch_tones",
            self.npusch_tones,
            &network.uplink.tones,
            "uplink.tones",
            "tones",
        )?;
        check_npusch_i_tbs(&[self.npusch_i_tbs], self.npusch_tones, category)?;
        all_of(
            "npusch_repetitions",
            &[self.npusch_repetitions],
            &UPLINK_REPETITIONS,
            NPUSCH_REPETITION_TABLE,
        )?;
        all_of(
            "ack_repetitions",
            &[self.ack_repetitions],
            &UPLINK_REPETITIONS,
            ACK_TABLE,
        )
    }
}

impl AdaptationSets {
    fn check(&self, space: &SearchSpaceConfig, network: &NetworkConfig) -> Result<(), ConfigError> {
        let category = network.connection.category;
        within(
            "target_block_error",
            self.target_block_error,
            0.001..=0.5,
            "the range of the link tables",
            "",
        )?;
        check_dci(&self.dci_repetitions, space)?;
        check_npdsch_i_tbs(&self.npdsch_i_tbs, network.carrier.mode, category)?;
        all_of(
            "npdsch_repetitions",
            &self.npdsch_repetitions,
            &NPDSCH_REPETITIONS,
            NPDSCH_REPETITION_TABLE,
        )?;
        let most_tones = network.uplink.tones.iter().copied().max().unwrap_or(1);
        check_npusch_i_tbs(&self.npusch_i_tbs, most_tones, category)?;
        if network.uplink.tones.contains(&1) && self.npusch_i_tbs.iter().all(|i_tbs| *i_tbs > 10) {
            return Err(ConfigError::new(
                "npusch_i_tbs",
                "has no value up to 10, the last that TS 36.213 table 16.5.1.2-1 allows on a single tone",
            ));
        }
        all_of(
            "npusch_repetitions",
            &self.npusch_repetitions,
            &UPLINK_REPETITIONS,
            NPUSCH_REPETITION_TABLE,
        )?;
        all_of(
            "ack_repetitions",
            &self.ack_repetitions,
            &UPLINK_REPETITIONS,
            ACK_TABLE,
        )
    }
}

fn check_dci(repetitions: &[u16], space: &SearchSpaceConfig) -> Result<(), ConfigError> {
    all_of(
        "dci_repetitions",
        repetitions,
        &space.dci_repetitions(),
        &format!("TS 36.213 table 16.6-1 at Rmax {}", space.rmax),
    )
}

fn check_npdsch_i_tbs(
    i_tbs: &[u8],
    mode: CarrierMode,
    category: DeviceCategory,
) -> Result<(), ConfigError> {
    let (last, table) = match (mode, category) {
        (CarrierMode::InBand { .. }, _) => (10, "TS 36.213 table 16.4.1.5.1-1 in-band"),
        (_, DeviceCategory::Nb1) => (12, "TS 36.213 table 16.4.1.5.1-1 for Cat NB1"),
        (_, DeviceCategory::Nb2) => (13, "TS 36.213 table 16.4.1.5.1-1 for Cat NB2"),
    };
    all_of("npdsch_i_tbs", i_tbs, &up_to(last), table)
}

fn check_npusch_i_tbs(
    i_tbs: &[u8],
    tones: u8,
    category: DeviceCategory,
) -> Result<(), ConfigError> {
    let (last, table) = match (tones, category) {
        (1, _) => (10, "TS 36.213 table 16.5.1.2-1 on a single tone"),
        (_, DeviceCategory::Nb1) => (12, "TS 36.213 table 16.5.1.2-2 for Cat NB1"),
        (_, DeviceCategory::Nb2) => (13, "TS 36.213 table 16.5.1.2-2 for Cat NB2"),
    };
    all_of("npusch_i_tbs", i_tbs, &up_to(last), table)
}

fn up_to(last: u8) -> Vec<u8> {
    (0..=last).collect()
}
