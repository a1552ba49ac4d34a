use serde::{Deserialize, Serialize};

/// Switches that leave effects out, for exact comparison with a hand calculation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switches {
    /// RLC status reports are sent.
    pub rlc_status: bool,
    /// System information other than SIB1-NB takes subframes.
    pub other_system_information: bool,
    /// Downlink gaps apply.
    pub downlink_gap: bool,
    /// An NPUSCH that meets NPRACH resources waits for their end.
    pub nprach_postponement: bool,
    /// A DCI uses the first candidate of each search space period, not the next one.
    pub first_candidate_only: bool,
    /// The smallest scheduling delay is always used.
    pub minimum_k0_only: bool,
    /// Transport blocks are counted by hand: one subheader for each SDU and exact buffer status.
    ///
    /// Otherwise subheaders follow TS 36.321, and the base station knows the reported buffer levels.
    pub hand_counted_blocks: bool,
    /// Transport blocks, control information and preambles may fail.
    pub block_errors: bool,
}

impl Switches {
    /// Everything happens as in a network.
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
