use std::cell::Cell;
use std::rc::Rc;

use lasthop_contract::{
    Direction, DiscardReason, DropReason, HostEvent, InterfaceId, Packet, PathId, Spans,
};
use lasthop_engine::{HostId, LinkId, Observer};
use lasthop_measure::Histogram;
use lasthop_units::{Duration, Instant};

/// Counts the packets of a run in real time, until a given instant or a request to stop.
#[derive(Debug)]
pub struct Watch {
    /// When the run ends.
    pub end: Instant,
    done: Rc<Cell<bool>>,
    packets: u64,
    dropped: [u64; DropReason::ALL.len()],
    damaged: u64,
    lateness: Histogram,
}

impl Watch {
    /// Creates a watch that ends the run at this instant, or as soon as `done` is set.
    #[must_use]
    pub fn until(end: Instant, done: Rc<Cell<bool>>) -> Self {
        Self {
            end,
            done,
            packets: 0,
            dropped: [0; DropReason::ALL.len()],
            damaged: 0,
            lateness: Histogram::new(),
        }
    }

    /// Returns the number of packets that entered the link.
    #[must_use]
    pub const fn packets(&self) -> u64 {
        self.packets
    }

    /// Returns the number of packets that the link dropped.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped.iter().sum()
    }

    /// Returns the number of packets that the link dropped for this reason.
    #[must_use]
    pub fn dropped_for(&self, reason: DropReason) -> u64 {
        self.dropped[reason as usize]
    }

    /// Returns the number of packets that a host could not read: malformed, or with a wrong checksum.
    #[must_use]
    pub const fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Returns the lateness of deadlines.
    #[must_use]
    pub const fn lateness(&self) -> &Histogram {
        &self.lateness
    }
}

impl Observer for Watch {
    fn transmitted(&mut self, _: Instant, _: HostId, _: InterfaceId, _: &Packet) {
        self.packets += 1;
    }

    fn received(&mut self, _: Instant, _: HostId, _: InterfaceId, _: &Packet) {}

    fn dropped(&mut self, _: Instant, _: LinkId, _: &Packet, reason: DropReason) {
        self.dropped[reason as usize] += 1;
    }

    fn duplicated(&mut self, _: Instant, _: u64, _: Direction, _: PathId, _: &Spans) {}

    fn host_event(&mut self, _: Instant, _: HostId, _: Direction, event: &HostEvent) {
        if let HostEvent::Discarded {
            reason: DiscardReason::Malformed | DiscardReason::BadChecksum,
            ..
        } = event
        {
            self.damaged += 1;
        }
    }

    fn late(&mut self, _: Instant, by: Duration) {
        self.lateness.record(by);
    }

    fn horizon(&self) -> Instant {
        if self.done.get() {
            Instant::ZERO
        } else {
            self.end
        }
    }
}
