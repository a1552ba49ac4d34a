use smallvec::SmallVec;

use super::{NprachOccasions, Subframe};
use crate::config::SubcarrierSpacing;

/// The subframes from start to end of an NPUSCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UplinkSpan {
    /// The scheduled start of the NPUSCH.
    pub start: Subframe,
    /// The subframe after the last.
    pub end: Subframe,
    /// The time on air in ms. The rest of the span is postponement by NPRACH and gaps.
    pub sent_ms: u32,
}

/// Sent or postponed for so long, an NPUSCH pauses for [`GAP_MS`], in which the device looks for the downlink again
/// (TS 36.211 section 10.1.3.6).
const BEFORE_GAP_MS: u64 = 256;
const GAP_MS: u64 = 40;

/// Returns the span of an NPUSCH that is postponed past the preamble opportunities that its tones overlap.
///
/// A pair of slots (15 kHz) or a slot (3.75 kHz) that would meet a preamble waits for its end (TS 36.211 section 10.1.3.6). What of
/// a wait falls into a gap counts as gap.
#[must_use]
pub fn nprach_free_span<'a>(
    opportunities: impl Iterator<Item = &'a NprachOccasions>,
    start: Subframe,
    sent_ms: u32,
    spacing: SubcarrierSpacing,
) -> UplinkSpan {
    let mut ahead: SmallVec<[Ahead<'_>; 3]> = SmallVec::new();
    let undisturbed = start + u64::from(sent_ms);
    let mut is_disturbed = u64::from(sent_ms) > BEFORE_GAP_MS;
    for all in opportunities {
        let mut next = Ahead::new(all, start, spacing);
        is_disturbed |= next.at(start).0 < undisturbed;
        ahead.push(next);
    }
    if !is_disturbed {
        return UplinkSpan {
            start,
            end: undisturbed,
            sent_ms,
        };
    }
    let mut now = start;
    let mut left = u64::from(sent_ms);
    let mut until_gap = BEFORE_GAP_MS;
    while left > 0 {
        if until_gap == 0 {
            now += GAP_MS;
            until_gap = BEFORE_GAP_MS;
        }
        let preamble = ahead
            .iter_mut()
            .map(|preamble| preamble.at(now))
            .min()
            .unwrap_or((Subframe(u64::MAX), Subframe(u64::MAX)));
        let step = if preamble.0 <= now {
            (preamble.1 - now).min(until_gap)
        } else {
            let step = (preamble.0 - now).min(until_gap).min(left);
            left -= step;
            step
        };
        now += step;
        until_gap -= step;
    }
    UplinkSpan {
        start,
        end: now,
        sent_ms,
    }
}

/// The next opportunity of a level, widened to whole slots.
struct Ahead<'a> {
    all: &'a NprachOccasions,
    start: Subframe,
    end: Subframe,
    /// One less than the milliseconds of a slot, a power of two.
    in_slot: u64,
}

impl<'a> Ahead<'a> {
    fn new(all: &'a NprachOccasions, now: Subframe, spacing: SubcarrierSpacing) -> Self {
        let (start, end) = all.taken(now);
        let in_slot = match spacing {
            SubcarrierSpacing::Khz15 => 0,
            SubcarrierSpacing::Khz3_75 => 1,
        };
        Self {
            all,
            start,
            end,
            in_slot,
        }
    }

    /// The first opportunity that ends after this subframe.
    fn at(&mut self, now: Subframe) -> (Subframe, Subframe) {
        let in_slot = self.in_slot;
        let widened_end = |end: Subframe| Subframe((end.0 + in_slot) & !in_slot);
        while widened_end(self.end) <= now {
            self.start += self.all.period();
            self.end += self.all.period();
        }
        (Subframe(self.start.0 & !in_slot), widened_end(self.end))
    }
}
