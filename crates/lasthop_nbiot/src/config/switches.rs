use serde::{Deserialize, Serialize};

/// Switches that disable effects, for exact comparison with a hand calculation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switches {
    /// Whether RLC status reports are sent.
    pub rlc_status: bool,
    /// Whether system information other than SIB1-NB occupies subframes.
    pub other_system_information: bool,
    /// Whether downlink gaps apply.
    pub downlink_gap: bool,
    /// Whether an NPUSCH is postponed past NPRACH resources that it overlaps.
    pub nprach_postponement: bool,
    /// Whether a DCI can use only the first candidate of each search space period.
    pub first_candidate_only: bool,
    /// Whether grants always have the smallest scheduling delay.
    pub minimum_k0_only: bool,
    /// Whether transport blocks are sized as in the hand calculation: one subheader for each SDU and exact buffer
    /// status.
    ///
    /// Otherwise subheaders follow TS 36.321, and the base station knows the reported buffer levels.
    pub hand_counted_blocks: bool,
    /// Whether transport blocks, control information and preambles can fail.
    pub block_errors: bool,
}

impl Switches {
    /// The switches of a real network: all effects are enabled.
    pub const REAL: Self = Self {
        rlc_status: true,
        other_system_information: true,
        downlink_gap: true,
        nprach_postponement: true,
        first_candidate_only: false,
        minimum_k0_only: false,
        hand_counted_blocks: false,
        block_errors: true,
    };

    /// The switches of the hand calculation for a single device.
    pub const HAND_CALCULATION: Self = Self {
        rlc_status: false,
        other_system_information: false,
        downlink_gap: false,
        nprach_postponement: false,
        first_candidate_only: false,
        minimum_k0_only: true,
        hand_counted_blocks: true,
        block_errors: false,
    };
}
