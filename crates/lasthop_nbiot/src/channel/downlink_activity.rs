use lasthop_units::Instant;

use super::DownlinkBurst;
use crate::config::NetworkConfig;
use crate::deployment::CellIndex;
use crate::phy::DownlinkMap;

/// How busy the downlink of each cell is, was and will be: subframes that carry data, by radio frame.
///
/// A ring of 8192 frames (82 s) a cell, which holds the longest transmission (2048 repetitions of 10 subframes, 28 s)
/// whether it lies ahead or behind.
#[derive(Clone, Debug)]
pub(super) struct DownlinkActivity {
    /// By cell and frame, in sixteenths of a subframe.
    busy: Vec<u8>,
    /// By cell: frames before this one are in the ring, unless they are a whole ring older.
    ahead: Vec<u64>,
    /// Sixteenths of a subframe in a frame that can carry data, on average.
    usable: f32,
    /// The power of a cell whose subframe carries no data but reference symbols.
    idle_share: f32,
}

const FRAMES: u64 = 8192;
const NANOS_PER_FRAME: u64 = 10_000_000;
const PARTS_PER_SUBFRAME: u64 = 16;
/// Resource elements of a subframe on the carrier.
const RESOURCE_ELEMENTS: f32 = 168.0;

impl DownlinkActivity {
    pub(super) fn new(config: &NetworkConfig, cells: usize) -> Self {
        let map = DownlinkMap::new(&config.subframes, &config.switches, None);
        let (subframes, usable) = map.period();
        let usable_share = usable as f32 / subframes as f32;
        Self {
            busy: vec![0; cells * FRAMES as usize],
            ahead: vec![0; cells],
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
        self.make_room(now, cell, last);
        let parts = u64::from(burst.subframes) * PARTS_PER_SUBFRAME;
        let ring = self.ring_mut(cell);
        let mut told = 0;
        for frame in first..=last {
            let end = ((frame + 1) * NANOS_PER_FRAME).min(until) - from;
            let due = (u128::from(parts) * u128::from(end) / u128::from(span)) as u64;
            let slot = &mut ring[(frame % FRAMES) as usize];
            *slot = slot.saturating_add((due - told).min(255) as u8);
            told = due;
        }
    }

    /// The mean power of a cell over the subframes of a transmission of another, as a share of its full power.
    ///
    /// Synchronisation and broadcast lie in the same subframes in all cells, so that they meet no data.
    pub(super) fn share(&self, cell: CellIndex, burst: &DownlinkBurst) -> f32 {
        let first = burst.from.as_nanos() / NANOS_PER_FRAME;
        let last = (burst.until.as_nanos() - 1) / NANOS_PER_FRAME;
        let ahead = self.ahead[cell.as_usize()];
        let first = first.max(ahead.saturating_sub(FRAMES));
        let frames = (last + 1).saturating_sub(first).max(1);
        let ring = &self.busy[cell.as_usize() * FRAMES as usize..][..FRAMES as usize];
        let sum: u32 = (first..(last + 1).min(ahead))
            .map(|frame| u32::from(ring[(frame % FRAMES) as usize]))
            .sum();
        let busy = (sum as f32 / (self.usable * frames as f32)).min(1.0);
        self.idle_share + (1.0 - self.idle_share) * busy
    }

    /// Clears the frames up to `last` that the ring has not held yet.
    fn make_room(&mut self, now: Instant, cell: CellIndex, last: u64) {
        let ahead = self.ahead[cell.as_usize()];
        if last < ahead {
            return;
        }
        debug_assert!(
            last < now.as_nanos() / NANOS_PER_FRAME + FRAMES,
            "planned beyond the ring"
        );
        let from = ahead.max((last + 1).saturating_sub(FRAMES));
        let ring = self.ring_mut(cell);
        for frame in from..=last {
            ring[(frame % FRAMES) as usize] = 0;
        }
        self.ahead[cell.as_usize()] = last + 1;
    }

    fn ring_mut(&mut self, cell: CellIndex) -> &mut [u8] {
        &mut self.busy[cell.as_usize() * FRAMES as usize..][..FRAMES as usize]
    }
}
