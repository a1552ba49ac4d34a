use lasthop_units::{DecibelMilliwatts, Instant};

use super::Tones;

/// An uplink transmission with all its repetitions and gaps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UplinkBurst {
    /// The beginning of the first repetition.
    pub from: Instant,
    /// The end of the last.
    pub until: Instant,
    /// The tones; for a preamble, those of its hopping range.
    pub tones: Tones,
    /// Over all tones.
    pub power: DecibelMilliwatts,
    /// The content.
    pub kind: BurstKind,
    /// The number of repetitions.
    pub repetitions: u16,
}

/// The content of an uplink transmission, which determines its reference symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurstKind {
    /// NPRACH.
    Preamble,
    /// NPUSCH format 1.
    Data,
    /// NPUSCH format 2.
    Acknowledgement,
}

/// A downlink transmission with all its repetitions, on the whole carrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DownlinkBurst {
    /// The beginning of its first subframe.
    pub from: Instant,
    /// The end of its last.
    pub until: Instant,
    /// Subframes in between that carry it, all repetitions together.
    pub subframes: u16,
    /// The number of repetitions of each subframe.
    pub repetitions: u16,
}
