use serde::{Deserialize, Serialize};

/// What may be left out, so that a hand calculation that leaves it out can be met exactly.
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
    /// A DCI is sent in the first candidate of each period of its search space, not in the first one that comes.
    pub first_candidate_only: bool,
    /// The smallest scheduling delay is always used.
    pub minimum_k0_only: bool,
    /// Transport blocks are counted by hand: one subheader an SDU, and the base station knows to the byte what waits.
    /// Otherwise subheaders are those of TS 36.321, and it knows the levels that it was told.
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

    /// What the hand calculation of a single device's time line leaves out is left out.
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
