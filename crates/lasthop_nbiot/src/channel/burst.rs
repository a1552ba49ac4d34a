use lasthop_units::{DecibelMilliwatts, Instant};

use super::Tones;

/// What a device sends in one go: all repetitions, with the gaps between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UplinkBurst {
    /// The beginning of the first repetition.
    pub from: Instant,
    /// The end of the last.
    pub until: Instant,
    /// The tones; of a preamble, those over which it hops.
    pub tones: Tones,
    /// Over all tones.
    pub power: DecibelMilliwatts,
    /// What is sent.
    pub kind: BurstKind,
    /// How often.
    pub repetitions: u16,
}

/// What an uplink transmission carries, which decides its reference symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurstKind {
    /// NPRACH.
    Preamble,
    /// NPUSCH format 1.
    Data,
    /// NPUSCH format 2.
    Acknowledgement,
}

/// What a cell sends to somebody in one go: all repetitions, on the whole carrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DownlinkBurst {
    /// The beginning of its first subframe.
    pub from: Instant,
    /// The end of its last.
    pub until: Instant,
    /// Subframes in between that carry it, all repetitions together.
    pub subframes: u16,
    /// How often each of its subframes is sent.
    pub repetitions: u16,
}
