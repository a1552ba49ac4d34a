use core::mem;
use std::io;

use lasthop_contract::{
    Direction, DropReason, HostEvent, InterfaceId, Packet, PathId, Span, Spans,
};
use lasthop_engine::{HostId, LinkId, Observer};
use lasthop_measure::{Capture, CapturedHost, Histogram};
use lasthop_units::{Duration, Instant};

use super::ledger::Ledgers;
use super::summary::{DirectionSummary, EmulationSummary, LatenessSummary};
use super::{EmulationSpec, LatenessLimit, Tally};

/// Counts the packets of an emulator, and captures them if requested.
#[derive(Debug)]
pub(super) struct EmulatorWatch {
    /// When the emulator's event loop returns.
    pub(super) end: Instant,
    ways: [Way; 2],
    mtu_bytes: Option<usize>,
    capture: Option<Capture>,
    ledgers: Option<Ledgers>,
    lateness: Histogram,
    longest: Duration,
    longest_pause: Duration,
}

/// What is counted of a direction.
#[derive(Debug, Default)]
struct Way {
    offered: Tally,
    oversized_packets: u64,
    duplicated: Tally,
    delivered: Tally,
    corrupted: Tally,
    dropped: [Tally; DropReason::ALL.len()],
}

impl EmulatorWatch {
    pub(super) fn new(capture: Option<Capture>, spec: &EmulationSpec) -> Self {
        Self {
            end: Instant::ZERO,
            ways: Default::default(),
            mtu_bytes: spec.mtu_bytes,
            capture,
            ledgers: spec.ledger.then(Ledgers::default),
            lateness: Histogram::new(),
            longest: Duration::ZERO,
            longest_pause: Duration::ZERO,
        }
    }

    /// Records which end a host is.
    pub(super) fn attach(&mut self, id: HostId, host: CapturedHost) {
        if let Some(capture) = &mut self.capture {
            capture.attach(id, host);
        }
    }

    /// Records by how much the event loop returned late.
    pub(super) fn note_pause(&mut self, pause: Duration) {
        self.longest_pause = self.longest_pause.max(pause);
    }

    /// Starts or stops a capture. A stopped capture is a complete file.
    pub(super) fn capture_by(&mut self, capture: Option<Capture>) -> io::Result<()> {
        match mem::replace(&mut self.capture, capture) {
            Some(before) => before.finish(),
            None => Ok(()),
        }
    }

    /// Ends the captures and returns the summary.
    pub(super) fn finish(
        mut self,
        wall: Duration,
        cpu: Duration,
        refused: [u64; 2],
        limit: Option<LatenessLimit>,
    ) -> io::Result<EmulationSummary> {
        self.capture_by(None)?;
        let mut summary = self.summary(wall, cpu, refused, limit);
        summary.ledger = self.ledgers.map(Ledgers::finish);
        Ok(summary)
    }

    /// Returns the counts so far, without the byte ledger, which is complete only at the end.
    pub(super) fn summary(
        &self,
        wall: Duration,
        cpu: Duration,
        refused: [u64; 2],
        limit: Option<LatenessLimit>,
    ) -> EmulationSummary {
        let lateness = LatenessSummary::new(&self.lateness, self.longest, self.longest_pause);
        let [up, down] = &self.ways;
        // What goes up is for the far end to take.
        let [refused_near, refused_far] = refused;
        let mut summary = EmulationSummary {
            seconds: wall.as_secs_f64(),
            cpu_seconds: cpu.as_secs_f64(),
            cpu_pressure_seconds: None,
            up: up.summary().ended(refused_far),
            down: down.summary().ended(refused_near),
            invalid: limit.map_or_else(Vec::new, |limit| lateness.beyond(limit)),
            ledger: None,
            lateness,
        };
        if let Some(mtu_bytes) = self.mtu_bytes {
            summary.note_oversized(mtu_bytes);
        }
        summary
    }

    fn way(&mut self, direction: Direction) -> &mut Way {
        &mut self.ways[direction as usize]
    }
}

impl Way {
    fn summary(&self) -> DirectionSummary {
        let dropped = DropReason::ALL.into_iter().zip(self.dropped);
        DirectionSummary {
            offered: self.offered,
            oversized_packets: self.oversized_packets,
            duplicated: self.duplicated,
            delivered: self.delivered,
            corrupted: self.corrupted,
            dropped: dropped
                .filter(|(_, tally)| tally.packets > 0)
                .map(|(reason, tally)| (reason.name(), tally))
                .collect(),
            ..DirectionSummary::default()
        }
    }
}

impl Observer for EmulatorWatch {
    fn transmitted(&mut self, now: Instant, host: HostId, _: InterfaceId, packet: &Packet) {
        let largest = self.mtu_bytes.unwrap_or(usize::MAX);
        let way = self.way(packet.direction());
        way.offered.add(packet.length());
        way.oversized_packets += u64::from(packet.length() > largest);
        if let Some(capture) = &mut self.capture {
            capture.transmitted(now, host, packet);
        }
        if let Some(ledgers) = &mut self.ledgers {
            ledgers.sent(now, packet);
        }
    }

    fn received(&mut self, now: Instant, host: HostId, _: InterfaceId, packet: &Packet) {
        let way = self.way(packet.direction());
        way.delivered.add(packet.length());
        if packet.is_corrupted() {
            way.corrupted.add(packet.length());
        }
        if let Some(capture) = &mut self.capture {
            capture.received(now, host, packet);
        }
        if let Some(ledgers) = &mut self.ledgers {
            ledgers.received(now, packet);
        }
    }

    fn dropped(&mut self, _: Instant, _: LinkId, packet: &Packet, reason: DropReason) {
        let way = self.way(packet.direction());
        way.dropped[reason as usize].add(packet.length());
        if let Some(capture) = &mut self.capture {
            capture.dropped(packet, reason);
        }
    }

    fn duplicated(
        &mut self,
        _: Instant,
        number: u64,
        direction: Direction,
        _: PathId,
        spans: &Spans,
    ) {
        let bytes = |span: &Span| usize::from(span.length);
        let length = spans.iter().map(bytes).sum();
        self.way(direction).duplicated.add(length);
        if let Some(capture) = &mut self.capture {
            capture.duplicated(number);
        }
    }

    fn host_event(&mut self, _: Instant, _: HostId, _: Direction, _: &HostEvent) {}

    fn late(&mut self, _: Instant, by: Duration) {
        self.lateness.record(by);
        self.longest = self.longest.max(by);
    }

    fn horizon(&self) -> Instant {
        self.end
    }
}
