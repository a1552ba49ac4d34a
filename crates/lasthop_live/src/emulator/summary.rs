use std::collections::BTreeMap;

use lasthop_measure::Histogram;
use lasthop_units::Duration;
use serde::Serialize;

use super::{LatenessLimit, OfferedBytes};

/// The summary of an emulation.
#[derive(Clone, Debug, Serialize)]
pub struct EmulationSummary {
    /// The duration in seconds.
    pub seconds: f64,
    /// The processor time of its thread.
    pub cpu_seconds: f64,
    /// The CPU pressure of the machine, if the kernel reports it.
    pub cpu_pressure_seconds: Option<f64>,
    /// Counts from the near end to the far end.
    pub up: DirectionSummary,
    /// Counts from the far end to the near end.
    pub down: DirectionSummary,
    /// The purposes of the offered bytes, if requested.
    pub ledger: Option<Vec<OfferedBytes>>,
    /// The lateness.
    pub lateness: LatenessSummary,
    /// Why the run is invalid; empty for a valid one.
    pub invalid: Vec<String>,
}

/// The packets of a direction. Offered plus duplicated equals delivered plus dropped plus queued.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DirectionSummary {
    /// Packets that the sending end emitted.
    pub offered: Tally,
    /// The number of oversized packets.
    pub oversized_packets: u64,
    /// Packets that the path duplicated.
    pub duplicated: Tally,
    /// Packets passed to the receiving end.
    pub delivered: Tally,
    /// The delivered packets that the path corrupted.
    pub corrupted: Tally,
    /// Packets dropped on the path, by reason.
    pub dropped: BTreeMap<&'static str, Tally>,
    /// Packets in flight when the emulation ended.
    pub queued: Tally,
    /// The number of delivered packets that the receiving end refused.
    pub refused_packets: u64,
}

/// A number of packets, and their bytes from the IP header on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// The number of packets.
    pub packets: u64,
    /// The bytes when they were counted. NATs change addresses, not lengths.
    pub bytes: u64,
}

/// The lateness of deadlines.
#[derive(Clone, Debug, Serialize)]
pub struct LatenessSummary {
    /// The number of late deadlines.
    pub deadlines: u64,
    /// The 50th percentile of lateness, in nanoseconds.
    pub p50_ns: u64,
    /// The 99th percentile of lateness, in nanoseconds.
    pub p99_ns: u64,
    /// The maximum lateness, in nanoseconds.
    pub max_ns: u64,
    /// The longest pause in which the machine did not run the emulator.
    pub longest_pause_ns: u64,
    /// The filled buckets: lower bound, exclusive upper bound, count.
    pub histogram: Vec<(u64, u64, u64)>,
}

impl Tally {
    pub(super) fn add(&mut self, bytes: usize) {
        self.packets += 1;
        self.bytes += bytes as u64;
    }
}

impl DirectionSummary {
    /// Returns the summary at the end, with the packets in flight.
    pub(super) fn ended(mut self, refused_packets: u64) -> Self {
        let gone = self.dropped.values();
        let gone = gone.fold(self.delivered, |sum, dropped| Tally {
            packets: sum.packets + dropped.packets,
            bytes: sum.bytes + dropped.bytes,
        });
        let entered = (self.offered, self.duplicated);
        self.queued = Tally {
            packets: (entered.0.packets + entered.1.packets).saturating_sub(gone.packets),
            bytes: (entered.0.bytes + entered.1.bytes).saturating_sub(gone.bytes),
        };
        self.refused_packets = refused_packets;
        self
    }
}

impl EmulationSummary {
    /// Records a packet above the MTU, if there is one.
    pub(super) fn note_oversized(&mut self, mtu_bytes: usize) {
        for (end, way) in [("near", &self.up), ("far", &self.down)] {
            if way.oversized_packets > 0 {
                self.invalid.push(format!(
                    "the {end} end gave packets of more than {mtu_bytes} bytes, {} in all; switch its offloads off",
                    way.oversized_packets
                ));
            }
        }
    }
}

impl LatenessSummary {
    pub(super) fn new(lateness: &Histogram, longest: Duration, longest_pause: Duration) -> Self {
        let percentile = |percent| lateness.percentile(percent).map_or(0, Duration::as_nanos);
        let buckets = lateness.buckets();
        Self {
            deadlines: lateness.count(),
            p50_ns: percentile(50),
            p99_ns: percentile(99),
            max_ns: longest.as_nanos(),
            longest_pause_ns: longest_pause.as_nanos(),
            histogram: buckets
                .map(|(from, to, count)| (from.as_nanos(), to.as_nanos(), count))
                .collect(),
        }
    }

    /// Returns the values that exceed a limit, in words.
    pub(super) fn beyond(&self, limit: LatenessLimit) -> Vec<String> {
        let found = [
            ("99 of 100 packets were", self.p99_ns, limit.p99_ns),
            ("a packet was", self.max_ns, limit.max_ns),
            ("the emulator was", self.longest_pause_ns, limit.max_ns),
        ];
        let millis = |nanos: u64| nanos as f64 / 1e6;
        let words = found.into_iter().filter(|(_, is, may)| is > may);
        words
            .map(|(what, is, may)| {
                format!(
                    "{what} up to {:.1} ms late; the limit is {:.1} ms",
                    millis(is),
                    millis(may)
                )
            })
            .collect()
    }
}
