use std::sync::Arc;

use super::subframe_ring::SubframeRing;
use super::{DownlinkMap, SearchSpace, Subframe, npdsch_delays};
use crate::config::{DownlinkGap, NetworkConfig};

/// The occupied subframes of a cell's downlink, for NPDCCH and NPDSCH.
///
/// Call [`DownlinkTimeline::advance`] when time has passed; then find, then reserve. It looks 65,536 usable subframes
/// ahead, about 90 s; beyond that nothing is found.
#[derive(Clone, Debug)]
pub struct DownlinkTimeline {
    maps: Arc<DownlinkMaps>,
    ring: SubframeRing,
    /// By [`DownlinkChannel`].
    reserved: [u64; 2],
}

/// The usable subframes of a carrier: one map for transmissions that pause in downlink gaps, and one for the others.
#[derive(Clone, Debug)]
pub struct DownlinkMaps {
    all: DownlinkMap,
    outside_gaps: Option<(DownlinkGap, DownlinkMap)>,
}

/// Consecutive usable subframes that one transmission occupies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DownlinkSpan {
    /// The first subframe.
    pub start: Subframe,
    /// The subframe after the last.
    pub end: Subframe,
    /// The number of usable subframes.
    pub subframes: u32,
    /// The ordinal of the first in its map.
    first: u64,
    /// Whether it pauses in downlink gaps.
    pauses: bool,
}

/// The content of usable downlink subframes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DownlinkChannel {
    /// Control information (NPDCCH).
    Npdcch,
    /// Data (NPDSCH).
    Npdsch,
}

impl DownlinkMaps {
    /// Creates the maps of the anchor carriers. All cells of a network have the same.
    #[must_use]
    pub fn new(config: &NetworkConfig) -> Self {
        Self::of(config, |gap| {
            DownlinkMap::new(&config.subframes, &config.switches, gap)
        })
    }

    /// Creates the maps of non-anchor carriers.
    #[must_use]
    pub fn of_non_anchor(config: &NetworkConfig) -> Self {
        Self::of(config, DownlinkMap::of_non_anchor)
    }

    fn of(config: &NetworkConfig, map: impl Fn(Option<&DownlinkGap>) -> DownlinkMap) -> Self {
        let gap = config
            .subframes
            .downlink_gap
            .as_ref()
            .filter(|_| config.switches.downlink_gap);
        Self {
            all: map(None),
            outside_gaps: gap.map(|gap| (gap.clone(), map(Some(gap)))),
        }
    }

    /// Returns the usable subframes of transmissions that do not pause in downlink gaps.
    #[must_use]
    pub const fn all(&self) -> &DownlinkMap {
        &self.all
    }

    /// Returns the usable subframes of a search space with this Rmax and of the NPDSCH that it schedules (TS 36.211
    /// section 10.2.3.4).
    #[inline]
    #[must_use]
    pub fn of_rmax(&self, rmax: u16) -> &DownlinkMap {
        self.map(self.pauses(rmax))
    }

    fn pauses(&self, rmax: u16) -> bool {
        self.outside_gaps
            .as_ref()
            .is_some_and(|(gap, _)| rmax >= gap.threshold_rmax)
    }

    fn map(&self, pauses: bool) -> &DownlinkMap {
        match &self.outside_gaps {
            Some((_, map)) if pauses => map,
            _ => &self.all,
        }
    }

    /// The pieces between gaps of so many usable subframes from an ordinal on: the first ordinal of each among all usable
    /// subframes, and its length.
    fn pieces(&self, first: u64, count: u64, pauses: bool) -> impl Iterator<Item = (u64, u64)> {
        let (mut next, end) = (first, first + count);
        core::iter::from_fn(move || {
            if next == end {
                return None;
            }
            let Some((gap, map)) = self.outside_gaps.as_ref().filter(|_| pauses) else {
                let piece = (next, end - next);
                next = end;
                return Some(piece);
            };
            let start = map.subframe(next);
            let period = u64::from(gap.period_subframes);
            let next_gap = Subframe((start.0 / period + 1) * period);
            let length = self.all.usable_between(start, next_gap).min(end - next);
            next += length;
            Some((self.all.usable_before(start), length))
        })
    }
}

impl DownlinkTimeline {
    /// Creates a timeline without reservations.
    #[must_use]
    pub fn new(maps: Arc<DownlinkMaps>) -> Self {
        Self {
            maps,
            ring: SubframeRing::new(),
            reserved: [0; 2],
        }
    }

    /// Returns the maps of usable subframes.
    #[must_use]
    pub fn maps(&self) -> &DownlinkMaps {
        &self.maps
    }

    /// Drops all reservations before this subframe. Later searches must not start earlier.
    #[inline]
    pub fn advance(&mut self, now: Subframe) {
        self.ring.advance(self.maps.all.usable_before(now));
    }

    /// Finds the first free candidate for a DCI that starts at `from` or later and before `until`.
    ///
    /// With `first_only`, only the first candidate of each period counts. `None` as well if the search space has no
    /// candidates with so many repetitions.
    #[must_use]
    pub fn find_dci(
        &self,
        space: &SearchSpace,
        repetitions: u16,
        from: Subframe,
        until: Subframe,
        first_only: bool,
    ) -> Option<DownlinkSpan> {
        let candidates = match space.candidates(repetitions) {
            0 => return None,
            _ if first_only => 1,
            candidates => u64::from(candidates),
        };
        let pauses = self.maps.pauses(space.rmax());
        let map = self.maps.map(pauses);
        let (earliest, latest) = (map.usable_before(from), map.usable_before(until));
        let width = u64::from(repetitions);
        let mut period = self.first_period(space, map, earliest, from);
        loop {
            let base = map.usable_before(period);
            let missed = earliest.saturating_sub(base).div_ceil(width);
            for candidate in missed..candidates {
                let first = base + candidate * width;
                if first >= latest {
                    return None;
                }
                if self.is_range_free(first, width, pauses) {
                    return Some(self.span(first, u32::from(repetitions), pauses));
                }
            }
            period += space.period();
            if period >= until {
                return None;
            }
        }
    }

    /// The period of the search space to begin with: where broadcasts and gaps stretch a period, its candidates may reach
    /// into the following ones.
    fn first_period(
        &self,
        space: &SearchSpace,
        map: &DownlinkMap,
        earliest: u64,
        from: Subframe,
    ) -> Subframe {
        let mut period = space.start_before(from);
        while period.0 >= space.period() {
            let before = Subframe(period.0 - space.period());
            if map.usable_before(before) + u64::from(space.rmax()) <= earliest {
                break;
            }
            period = before;
        }
        period
    }

    /// Finds free subframes for the NPDSCH of a DCI, by the first scheduling delay with enough of them.
    ///
    /// Returns the delay field and the span, or `None` if all are occupied.
    ///
    /// `rmax` is that of the DCI's search space, `dci_end` the subframe after the DCI. With `minimum_k0_only` only a delay
    /// of 0 counts.
    #[must_use]
    pub fn find_npdsch(
        &self,
        rmax: u16,
        dci_end: Subframe,
        subframes: u32,
        minimum_k0_only: bool,
    ) -> Option<(u8, DownlinkSpan)> {
        self.find_npdsch_from(rmax, dci_end, subframes, minimum_k0_only, dci_end)
    }

    /// Finds free subframes for an NPDSCH that does not start before a given subframe.
    #[must_use]
    pub fn find_npdsch_from(
        &self,
        rmax: u16,
        dci_end: Subframe,
        subframes: u32,
        minimum_k0_only: bool,
        from: Subframe,
    ) -> Option<(u8, DownlinkSpan)> {
        let pauses = self.maps.pauses(rmax);
        let earliest = self.maps.map(pauses).usable_before(dci_end + 4);
        let delays = npdsch_delays(rmax);
        let count = if minimum_k0_only { 1 } else { delays.len() };
        delays[..count].iter().enumerate().find_map(|(field, k0)| {
            let first = earliest + u64::from(*k0);
            let span = || (field as u8, self.span(first, subframes, pauses));
            self.is_range_free(first, u64::from(subframes), pauses)
                .then(span)
                .filter(|(_, span)| span.start >= from)
        })
    }

    /// Returns the usable subframes from `from` on if they are free. It is used for a page in its paging occasion.
    #[must_use]
    pub fn run_from(&self, rmax: u16, from: Subframe, subframes: u32) -> Option<DownlinkSpan> {
        let pauses = self.maps.pauses(rmax);
        let first = self.maps.map(pauses).usable_before(from);
        let span = self.span(first, subframes, pauses);
        self.is_free(&span).then_some(span)
    }

    /// Whether nothing is reserved in a span.
    #[must_use]
    pub fn is_free(&self, span: &DownlinkSpan) -> bool {
        self.is_range_free(span.first, u64::from(span.subframes), span.pauses)
    }

    /// Reserves a free span for a channel.
    ///
    /// # Panics
    ///
    /// If it is not: no subframe may be used twice.
    pub fn reserve(&mut self, span: &DownlinkSpan, channel: DownlinkChannel) {
        let pieces = self
            .maps
            .pieces(span.first, u64::from(span.subframes), span.pauses);
        for (first, count) in pieces {
            self.ring.take(first, count);
        }
        self.reserved[channel as usize] += u64::from(span.subframes);
    }

    /// Returns the number of subframes reserved for a channel since the start of the run.
    #[must_use]
    pub const fn reserved(&self, channel: DownlinkChannel) -> u64 {
        self.reserved[channel as usize]
    }

    #[inline]
    fn is_range_free(&self, first: u64, count: u64, pauses: bool) -> bool {
        if !pauses {
            return self.ring.is_free(first, count);
        }
        self.maps
            .pieces(first, count, pauses)
            .all(|(first, count)| self.ring.is_free(first, count))
    }

    fn span(&self, first: u64, subframes: u32, pauses: bool) -> DownlinkSpan {
        let map = self.maps.map(pauses);
        DownlinkSpan {
            start: map.subframe(first),
            end: map.subframe(first + u64::from(subframes) - 1) + 1,
            subframes,
            first,
            pauses,
        }
    }
}
