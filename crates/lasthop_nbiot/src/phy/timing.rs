//! Scheduling delays, acknowledgement timing, and the subframes in which a device need not listen.
//!
//! Every `end` is exclusive: the subframe after the last one.

use super::{SearchSpace, Subframe};
use crate::config::SubcarrierSpacing;

/// The time from a failed response window to a device's next preamble, in ms (TS 36.213 section 16.3.2).
pub const PREAMBLE_RETRY_MS: u64 = 12;

/// The tone and the delay of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcknowledgementResource {
    /// The tone, in tones of the uplink's subcarrier spacing.
    pub tone: u8,
    /// The delay k0 of TS 36.213 tables 16.4.2-1 and 16.4.2-2.
    pub k0: u16,
}

/// Returns the delays k0 of DCI N1: the number of usable subframes to skip, from the fifth after the DCI on (TS 36.213
/// tables 16.4.1-1).
#[must_use]
pub const fn npdsch_delays(rmax: u16) -> &'static [u16; 8] {
    if rmax < 128 {
        &[0, 4, 8, 12, 16, 32, 64, 128]
    } else {
        &[0, 16, 32, 64, 128, 256, 512, 1024]
    }
}

/// Returns the delays k0 of DCI N0 (TS 36.213 table 16.5.1-1).
#[must_use]
pub const fn npusch_delays() -> &'static [u16; 4] {
    &[8, 16, 32, 64]
}

/// Returns the delays k0 of the grant in a random access response (TS 36.213 section 16.3.3).
#[must_use]
pub const fn rar_npusch_delays() -> &'static [u16; 4] {
    &[12, 16, 32, 64]
}

/// Returns the start of an NPUSCH whose grant ends before `end`. The grant is a DCI, or the NPDSCH of a random access
/// response.
///
/// It is the first slot after k0 more subframes. Slots of 3.75 kHz start with even subframes.
#[inline]
#[must_use]
pub const fn npusch_start(end: Subframe, k0: u16, spacing: SubcarrierSpacing) -> Subframe {
    first_slot(Subframe(end.0 + k0 as u64), spacing)
}

/// Returns the resources of an acknowledgement, ordered by delay (TS 36.213 tables 16.4.2-1 and 16.4.2-2).
#[must_use]
pub const fn acknowledgement_resources(
    spacing: SubcarrierSpacing,
) -> &'static [AcknowledgementResource; 16] {
    match spacing {
        SubcarrierSpacing::Khz15 => &ACKNOWLEDGEMENTS_15_KHZ,
        SubcarrierSpacing::Khz3_75 => &ACKNOWLEDGEMENTS_3_75_KHZ,
    }
}

/// Returns the start of an acknowledgement whose NPDSCH ends before `end`: the first slot after k0 - 1 more subframes.
#[inline]
#[must_use]
pub const fn acknowledgement_start(end: Subframe, k0: u16, spacing: SubcarrierSpacing) -> Subframe {
    first_slot(Subframe(end.0 + k0 as u64 - 1), spacing)
}

/// Returns the first subframe in which a device listens after an NPUSCH: the fourth (TS 36.213 section 16.6).
#[inline]
#[must_use]
pub const fn monitoring_after_npusch(end: Subframe) -> Subframe {
    Subframe(end.0 + 3)
}

/// Returns the first subframe in which a device listens after an NPDSCH without acknowledgement: the thirteenth (TS
/// 36.213 section 16.6).
#[inline]
#[must_use]
pub const fn monitoring_after_npdsch(end: Subframe) -> Subframe {
    Subframe(end.0 + 12)
}

/// Returns the random access response window as (first subframe, end) (TS 36.321 section 5.1.4).
///
/// It begins 4 subframes after the end of the preamble, or 41 with at least 64 repetitions. It lasts some NPDCCH
/// periods, at most 10.24 s.
#[must_use]
pub fn response_window(
    preamble_ended_in: Subframe,
    preamble_repetitions: u16,
    window_pp: u8,
    space: &SearchSpace,
) -> (Subframe, Subframe) {
    const LONGEST: u64 = 10_240;
    let wait = if preamble_repetitions >= 64 { 41 } else { 4 };
    let start = preamble_ended_in + wait;
    let length = (u64::from(window_pp) * space.period()).min(LONGEST);
    (start, start + length)
}

const fn first_slot(subframe: Subframe, spacing: SubcarrierSpacing) -> Subframe {
    match spacing {
        SubcarrierSpacing::Khz15 => subframe,
        SubcarrierSpacing::Khz3_75 => Subframe(subframe.0.next_multiple_of(2)),
    }
}

const ACKNOWLEDGEMENTS_15_KHZ: [AcknowledgementResource; 16] = {
    let delays = [13, 15, 17, 18];
    let mut table = [AcknowledgementResource { tone: 0, k0: 0 }; 16];
    let mut field = 0;
    while field < 16 {
        table[field] = AcknowledgementResource {
            tone: (field % 4) as u8,
            k0: delays[field / 4],
        };
        field += 1;
    }
    table
};

const ACKNOWLEDGEMENTS_3_75_KHZ: [AcknowledgementResource; 16] = {
    let delays = [13, 21];
    let mut table = [AcknowledgementResource { tone: 0, k0: 0 }; 16];
    let mut field = 0;
    while field < 16 {
        table[field] = AcknowledgementResource {
            tone: 38 + (field % 8) as u8,
            k0: delays[field / 8],
        };
        field += 1;
    }
    table
};
