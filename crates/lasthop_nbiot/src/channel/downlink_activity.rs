use lasthop_units::Instant;

use super::DownlinkBurst;
use crate::config::NetworkConfig;
use crate::deployment::CellIndex;
use crate::phy::DownlinkMap;

/// How busy the downlink of each cell is, was and will be: subframes that carry data, by radio frame.
///
/// A ring of 16,384 frames (164 s), which holds the longest transmission (2048 repetitions of 10 subframes, 28 s)
/// whether it lies ahead or behind.
#[derive(Clone, Debug)]
pub(super) struct DownlinkActivity {
    /// By frame and cell, in sixteenths of a subframe: what happens at a time lies together.
    busy: Vec<u8>,
    cells: usize,
    /// Frames before this one are in the ring, unless they are a whole ring older.
    ahead: u64,
    /// How many of them are on anchor carriers, which come first.
    anchors: usize,
    /// Sixteenths of a subframe in a frame of an anchor that can carry data, on average.
    usable: f32,
    /// The same as a share of all.
    usable_share: f32,
    /// The power of a cell whose subframe carries no data but reference symbols.
    idle_share: f32,
}

/// Radio frames that are in the ring.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frames {
    /// Where the first begins in the ring.
    from: usize,
    count: usize,
    /// One over what a cell can send in them and in those that are in the ring no more, in sixteenths.
    per_usable_part: f32,
}

const FRAMES: u64 = 16_384;
const NANOS_PER_FRAME: u64 = 10_000_000;
const PARTS_PER_SUBFRAME: u64 = 16;
/// Resource elements of a subframe on the carrier.
const RESOURCE_ELEMENTS: f32 = 168.0;

impl DownlinkActivity {
    pub(super) fn new(config: &NetworkConfig, anchors: usize) -> Self {
        let cells = anchors * config.carriers();
        let map = DownlinkMap::new(&config.subframes, &config.switches, None);
        let (subframes, usable) = map.period();
        let usable_share = usable as f32 / subframes as f32;
        Self {
            busy: vec![0; cells * FRAMES as usize],
            cells,
            anchors,
            usable_share,
            ahead: 0,
            usable: usable_share * 10.0 * PARTS_PER_SUBFRAME as f32,
            idle_share: f32::from(config.carrier.nrs_ports)
                * super::estimation::NRS_PER_PORT_AND_MS
                / RESOURCE_ELEMENTS,
        }
    }

    /// Spreads the subframes of a transmission evenly over its time.
    pub(super) fn add(&mut self, now: Instant, cell: CellIndex, burst: &DownlinkBurst) {
        let (from, until) = (burst.from.as_nanos(), burst.until.as_nanos());
        let span = until.saturating_sub(from).max(1);
        let (first, last) = (
            from / NANOS_PER_FRAME,
            (until - 1).max(from) / NANOS_PER_FRAME,
        );
        self.make_room(now, last);
        let parts = u64::from(burst.subframes) * PARTS_PER_SUBFRAME;
        let mut told = 0;
        for frame in first..=last {
            // 20 bits of parts, and less than 44 bits (4.9 hours) of nanoseconds.
            let end = ((frame + 1) * NANOS_PER_FRAME).min(until) - from;
            let due = parts * end / span;
            let at = self.row(frame) + cell.as_usize();
            self.busy[at] = self.busy[at].saturating_add((due - told).min(255) as u8);
            told = due;
        }
    }

    /// The frames that a transmission touches.
    pub(super) fn during(&self, burst: &DownlinkBurst) -> Frames {
        let first = burst.from.as_nanos() / NANOS_PER_FRAME;
        let last = (burst.until.as_nanos().max(1) - 1) / NANOS_PER_FRAME;
        let end = last.max(first) + 1;
        let known_from = first.max(self.ahead.saturating_sub(FRAMES));
        Frames {
            from: self.row(known_from),
            count: end.min(self.ahead).saturating_sub(known_from) as usize,
            per_usable_part: 1.0 / (self.usable * (end - first) as f32),
        }
    }

    /// The mean power of a cell over the subframes of a transmission of another, as a share of its full power.
    ///
    /// Synchronisation and broadcast lie in the same subframes in all cells, so that they meet no data.
    #[inline]
    pub(super) fn share(&self, cell: CellIndex, frames: Frames) -> f32 {
        let mut at = frames.from + cell.as_usize();
        let mut sum = 0;
        for _ in 0..frames.count {
            if at >= self.busy.len() {
                at -= self.busy.len();
            }
            sum += u32::from(self.busy[at]);
            at += self.cells;
        }
        let mut busy = sum as f32 * frames.per_usable_part;
        if cell.as_usize() >= self.anchors {
            busy *= self.usable_share;
        }
        let busy = busy.min(1.0);
        self.idle_share + (1.0 - self.idle_share) * busy
    }

    /// Clears the frames up to `last` that the ring has not held yet.
    fn make_room(&mut self, now: Instant, last: u64) {
        debug_assert!(
            last < now.as_nanos() / NANOS_PER_FRAME + FRAMES,
            "planned beyond the ring"
        );
        for frame in self.ahead.max((last + 1).saturating_sub(FRAMES))..=last {
            let row = self.row(frame);
            self.busy[row..row + self.cells].fill(0);
        }
        self.ahead = self.ahead.max(last + 1);
    }

    /// Where a frame begins in the ring.
    fn row(&self, frame: u64) -> usize {
        (frame % FRAMES) as usize * self.cells
    }
}

#[cfg(test)]
mod tests {
    use lasthop_units::Duration;

    use super::*;

    const CELL: CellIndex = CellIndex(1);

    fn burst(from_ms: u64, until_ms: u64, subframes: u16) -> DownlinkBurst {
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        DownlinkBurst {
            from: at(from_ms),
            until: at(until_ms),
            subframes,
            repetitions: 1,
        }
    }

    fn share(activity: &DownlinkActivity, from_ms: u64, until_ms: u64) -> f32 {
        activity.share(CELL, activity.during(&burst(from_ms, until_ms, 1)))
    }

    fn busy(idle: f32, part: f32) -> f32 {
        idle + (1.0 - idle) * part
    }

    #[test]
    fn a_cell_that_sends_data_half_of_the_time_is_half_busy() {
        let mut activity = DownlinkActivity::new(&NetworkConfig::larmo_2019(), 2);
        // Two ports send 16 of 168 resource elements in any case.
        let idle = 16.0 / 168.0;
        assert!((share(&activity, 0, 100) - idle).abs() < 1e-6);
        // 72.5 subframes of 100 carry data, less other system information.
        activity.add(Instant::ZERO, CELL, &burst(0, 50, 36));
        assert!((share(&activity, 0, 50) - busy(idle, 1.0)).abs() < 0.02);
        assert!((share(&activity, 0, 100) - busy(idle, 0.5)).abs() < 0.02);
        assert!((share(&activity, 50, 100) - idle).abs() < 1e-6);
    }

    #[test]
    fn every_subframe_is_counted_once_however_it_is_spread() {
        for (from_ms, until_ms, subframes) in [
            (3, 4, 1),
            (7, 23, 10),
            (12, 2011, 1450),
            (5, 28_000, 20_480),
        ] {
            let mut activity = DownlinkActivity::new(&NetworkConfig::larmo_2019(), 2);
            activity.add(Instant::ZERO, CELL, &burst(from_ms, until_ms, subframes));
            let sum: u64 = activity.busy.iter().map(|parts| u64::from(*parts)).sum();
            assert_eq!(sum, u64::from(subframes) * PARTS_PER_SUBFRAME);
        }
    }

    #[test]
    fn the_ring_forgets_what_was_there_a_turn_before() {
        let mut activity = DownlinkActivity::new(&NetworkConfig::larmo_2019(), 2);
        activity.add(Instant::ZERO, CELL, &burst(0, 50, 36));
        let later = FRAMES * 10;
        let now = Instant::ZERO + Duration::from_millis(later);
        activity.add(now, CELL, &burst(later + 60, later + 70, 7));
        assert!((share(&activity, later, later + 50) - 16.0 / 168.0).abs() < 1e-6);
        // What is beyond the ring counts as idle.
        assert!((share(&activity, 0, 50) - 16.0 / 168.0).abs() < 1e-6);
        // After a silence of days nothing of before is left.
        let days = Instant::ZERO + Duration::from_secs(200_000);
        activity.add(days, CELL, &burst(200_000_000, 200_000_010, 7));
        let sum: u64 = activity.busy.iter().map(|parts| u64::from(*parts)).sum();
        assert_eq!(sum, 7 * PARTS_PER_SUBFRAME);
    }
}
