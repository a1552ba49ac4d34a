use lasthop_units::{DecibelMilliwatts, Instant};

use super::Tones;

/// An uplink transmission with all its repetitions and gaps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UplinkBurst {
    /// The start of the first repetition.
    pub from: Instant,
    /// The end of the last repetition.
    pub until: Instant,
    /// The tones of the transmission; for a preamble, the tones of its hopping range.
    pub tones: Tones,
    /// The transmit power over all tones.
    pub power: DecibelMilliwatts,
    /// The content of the transmission.
    pub kind: BurstKind,
    /// The number of repetitions.
    pub repetitions: u16,
}

/// The content of an uplink transmission, which determines its reference symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurstKind {
    /// A preamble on NPRACH.
    Preamble,
    /// Data on NPUSCH format 1.
    Data,
    /// An acknowledgement on NPUSCH format 2.
    Acknowledgement,
}

/// A downlink transmission with all its repetitions, on the whole carrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DownlinkBurst {
    /// The start of the first subframe.
    pub from: Instant,
    /// The end of the last subframe.
    pub until: Instant,
    /// The number of subframes used by the transmission, with all repetitions.
    pub subframes: u16,
    /// The number of repetitions of each subframe.
    pub repetitions: u16,
}
